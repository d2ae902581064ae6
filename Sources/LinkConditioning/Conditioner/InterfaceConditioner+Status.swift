// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink
internal import TrafficControl

/// Reports rules and repairs interfaces.
extension InterfaceConditioner {
    /// The rules in effect and their counters, after repairing what interrupted processes left.
    ///
    /// - Parameter interface: only this one; nil for all of this network.
    public func status(_ interface: String? = nil) throws(ConditioningError) -> StatusReport {
        recover().forEach(note)
        let (devices, abandoned) = try devices(named: interface)
        var report = StatusReport(devices: devices, abandoned: abandoned)
        report.askPumps(of: devices)
        guard let journal = Journal.existing(), let place = JournalPlace.current else { return report }
        for entry in journal.suspended() where interface == nil || interface == entry.name {
            report.add(suspendedIn: entry)
        }
        for device in devices {
            guard case .entry(let entry) = journal.read(device.link.index, in: place) else { continue }
            report.add(entry, now: BootClock.now, time: time(nil))
        }
        return report
    }

    /// Repairs what interrupted processes left in this network, on every interface that no process is changing.
    ///
    /// - Returns: notes for the user about what was repaired.
    public func recover() -> [String] {
        CrashRecovery(connection, journal: Journal.existing()).run()
    }
}
