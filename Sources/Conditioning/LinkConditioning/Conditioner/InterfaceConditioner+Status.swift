// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink
internal import TrafficControl

extension InterfaceConditioner {
    /// The rules in effect and their counters. First repairs leftovers of interrupted processes.
    ///
    /// - Parameter interface: the interface; nil for all interfaces of this network.
    public func status(_ interface: String? = nil) throws(ConditioningError) -> StatusReport {
        tell(recover())
        let (devices, abandoned) = try devices(named: interface)
        var report = StatusReport(devices: devices, abandoned: abandoned)
        report.ask(of: devices)
        do {
            try add(journalOf: devices, interface, to: &report)
        } catch {
            report.journalFailure = error
        }
        return report
    }

    private func add(
        journalOf devices: [DeviceState],
        _ interface: String?,
        to report: inout StatusReport
    ) throws(ConditioningError) {
        guard let journal = try journalAnswer(machine.existingJournal()),
            let network = try journalAnswer(machine.journalNetwork(marksIfNeeded: false))
        else { return }
        for device in devices {
            guard case .entry(let entry) = journal.read(device.link.index, in: network) else { continue }
            report.add(entry, now: machine.now, time: time(nil))
        }
        for entry in try suspendedEntries(on: interface) { report.add(suspendedIn: entry) }
    }
}
