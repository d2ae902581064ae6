// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinkConditioning
internal import LinuxSystem

/// Finds who applied the rules of a report, and whether the processes that end them are alive.
struct RuleOrigins {
    let users: UserNames
    /// The time of the machine's start, in seconds since 1970.
    let boot: Double

    init(users: UserNames) {
        self.users = users
        boot = Double(RealClock.now) / 1e9 - BootClock.now / .seconds(1)
    }

    func origins(of report: StatusReport) -> [RuleKey: HostNetworkState.Origin] {
        var origins: [RuleKey: HostNetworkState.Origin] = [:]
        for device in report.devices {
            for rule in device.rules {
                origins[RuleKey(interface: device.interface, number: rule.number)] = origin(of: rule)
            }
        }
        return origins
    }

    private func origin(of rule: StatusReport.Rule) -> HostNetworkState.Origin {
        var origin = HostNetworkState.Origin()
        let process = rule.processID.flatMap { isMaker($0, of: rule) ? $0 : nil }
        let name = process.flatMap { ProcFile("/proc/\($0)/comm").firstLine }
        let words = name.flatMap { name in process.map { "process \($0) (\(name))" } }
        let parts = [rule.userID.map(users.name), words].compactMap { $0 }
        if !parts.isEmpty { origin.words = parts.joined(separator: ", ") }
        if let ending = rule.ending {
            if ending.until == nil, ending.confirmBy == nil { origin.endsWith = process ?? ending.guardian }
            origin.hasLostGuardian = !isGuardian(ending.guardian)
        }
        return origin
    }

    /// Whether the process that applied the rule still runs. A process that started after the rule was applied has got
    /// the ID of one that has ended.
    private func isMaker(_ process: Int32, of rule: StatusReport.Rule) -> Bool {
        guard let since = rule.since, let status = ProcessStatus(process), !status.hasEnded else { return false }
        // The time of day may have been set a little since the machine's start.
        return boot + Double(status.startTime) / Self.ticksPerSecond <= Double(since) + 2
    }

    private static let ticksPerSecond = Double(max(1, sysconf(CInt(_SC_CLK_TCK))))

    /// Whether a guardian has this ID. The command that `run -i` serves is its rule's guardian, too.
    private func isGuardian(_ process: Int32) -> Bool {
        guard let status = ProcessStatus(process) else { return false }
        return !status.hasEnded
    }
}
