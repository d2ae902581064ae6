// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkConditioning

extension StatusReport {
    /// - Parameters:
    ///   - network: the option that names the network namespace, with a space before it.
    ///   - reason: the reason why rules have the userspace engine; nil if it is not known. Asked only if one has it.
    func lines(in network: String = "", userspace reason: @autoclosure () -> String? = nil) -> [OutputLine] {
        let rules = devices.flatMap(\.rules)
        let engine = rules.contains { $0.engine == "userspace" } ? reason().map { "userspace engine: \($0)" } : nil
        return (sandbox.map { [$0.line] } ?? [])
            + devices.flatMap { device in device.rules.flatMap { $0.lines(device, network) } }
            + suspended.map(\.line) + [engine].compactMap { $0.map { OutputLine($0) } }
    }

    func note(in network: String = "") -> String? {
        let left = remains
        if !left.isEmpty {
            return "left by an interrupted command: \(left.joined(separator: ", "))\ntry: linkcond reset\(network)"
        }
        // In a sandbox, a line of the status already says that there are no conditions.
        guard suspended.isEmpty else { return "\"linkcond on\(network)\" resumes what is off" }
        return sandbox == nil && devices.allSatisfy(\.rules.isEmpty) ? "nothing is conditioned" : nil
    }
}

extension StatusReport.Suspended {
    fileprivate var line: OutputLine {
        OutputLine(heading: "\(interface): \(profile)", " (off\(traffic.isEverything ? "" : ", \(traffic.words)"))")
    }
}

extension StatusReport.Sandbox {
    fileprivate var line: OutputLine {
        let route = (uplink.map { ["uplink through \($0)"] + network } ?? ["offline"]).joined(separator: ", ")
        return OutputLine(
            heading: "sandbox: \(profile ?? "no conditions")",
            " (\(route), supervisor process \(processID))"
        )
    }
}

extension StatusReport.Rule {
    fileprivate func lines(_ device: StatusReport.Device, _ network: String) -> [OutputLine] {
        let scope = traffic.isEverything ? "" : ", \(traffic.words)"
        var lines = [
            OutputLine(
                heading: "\(device.interface): \(profile ?? "unknown")",
                " (rule \(number)\(scope)\(facing.words), \(engine), since \(LocalTime.text(since ?? 0)), by uid \(userID ?? 0))"
            )
        ]
        let header = ["LANE", "CONDITIONS", "MATCHED", "SENT", "DROPPED", "HELD"]
        lines += Table(header: header, of: lanes) { $0.cells(engine, hasFaults: !faults.isEmpty) }.lines(indent: 2)
        let numbered = Array(faults.enumerated())
        if !faults.isEmpty {
            lines += Table(header: ["FAULT", "WHAT", "PACKETS"], of: numbered) { index, fault in
                ["\(index + 1)", fault.fault, "\(fault.packets)"]
            }.lines(indent: 2)
        }
        lines += overlapWords(on: device).map { "  \($0)" }
        if let ending { lines.append("  \(ending.text(now: Glibc.time(nil), in: network))") }
        if let failsOpenWords { lines.append("  \(failsOpenWords)") }
        if let words = missingWords(on: device, in: network) { lines.append("  \(words)") }
        if lanes.allSatisfy({ $0.matchedPackets == 0 }) { lines.append("  no packet has matched yet") }
        if let askedBeforeWords { lines.append("  \(askedBeforeWords)") }
        return lines
    }
}

extension StatusReport.Ending {
    /// When the conditions end, as text; `now` is in seconds since 1970.
    func text(now: Int, in network: String = "") -> String {
        func left(_ time: Int) -> Duration { .seconds(max(time, now) - now) }
        let text = EndingOptions.text(confirm: confirmBy.map(left), limit: until.map(left), in: network)
        return "\(text ?? "ends with a command") (guardian process \(guardian))"
    }
}

extension StatusReport.LaneStatus {
    fileprivate func cells(_ engine: String, hasFaults: Bool) -> [String] {
        [
            kind.name, text(engine, hasFaults: hasFaults), String(matchedPackets),
            counters.map { String($0.sentPackets) } ?? "-", counters.map { String($0.droppedPackets) } ?? "-",
            counters.map { String($0.heldPackets) } ?? "-",
        ]
    }

    /// The pump's counters are not available: it answers only root and its owner.
    private static let hidden = geteuid() == 0 ? "its process does not answer" : "visible only to root and its owner"

    private func text(_ engine: String, hasFaults: Bool) -> String {
        guard let conditions else { return engine == "netem" ? "not what linkcond made" : Self.hidden }
        // netem has no schedules, but has a lane even for a direction without impairments.
        guard conditions != Impairments() else { return engine == "netem" || hasFaults ? "none" : "by schedule" }
        let limit = limitPackets.map { "limit \($0) packets" }
        let waited = counters?.percentBehindOthers.map { "waited behind others: \($0) % of the delay" }
        return (conditions.words + [limit, waited].compactMap(\.self)).joined(separator: ", ")
    }
}
