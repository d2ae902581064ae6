// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// Removes rules.
extension InterfaceConditioner {
    /// The result of `remove`.
    public struct RemovalReport: Sendable {
        /// An interface that was checked.
        public struct Interface: Sendable {
            /// Its name.
            public let name: String
            /// The names of the profiles it had.
            public let profiles: [String]
            /// Whether it had objects of linkcond.
            public let wasConditioned: Bool
        }

        /// The interfaces.
        public let interfaces: [Interface]
        /// The deleted lanes of interfaces that no longer exist.
        public let abandonedLanes: [String]
        /// Messages about packets that lanes still held when they were deleted.
        public let losses: [String]
    }

    /// Removes all rules and restores the interfaces. Safe to repeat.
    ///
    /// - Parameters:
    ///   - interface: only this one; nil for all of this network that have rules or a journal entry.
    ///   - isPatient: whether to wait, up to 10 s, for the lanes to drain.
    @discardableResult
    public func remove(
        from interface: String? = nil,
        isPatient: Bool = true
    ) throws(ConditioningError) -> RemovalReport {
        let (devices, abandoned) = try removableDevices(interface)
        var removals: [Removal] = []
        // All processes lock in the order of the devices, which prevents a deadlock.
        for device in devices {
            let session = try openForRemoval(device.link.name)
            let notes = session.notes
            let removal = session.beginRemoval(of: nil)
            (notes + removal.notes).forEach(note)
            removals.append(removal)
        }
        let losses = try Removal.carryOut(removals, abandoned: abandoned, isPatient: isPatient, by: executor)
        return RemovalReport(
            interfaces: zip(devices, removals).map { device, removal in
                RemovalReport.Interface(
                    name: device.link.name,
                    profiles: device.rules.compactMap { $0.alias?.profile },
                    wasConditioned: !removal.plan.isEmpty
                )
            },
            abandonedLanes: abandoned.map(\.name.description),
            losses: losses
        )
    }

    /// Deletes lock files that killed processes left for interfaces without an entry.
    public static func forgetLocks() { Journal.existing()?.forgetLocks() }

    private func removableDevices(
        _ interface: String?
    ) throws(ConditioningError) -> (devices: [DeviceState], abandoned: [LaneState]) {
        var found = try devices(named: interface)
        guard interface == nil, let journal = Journal.existing() else { return found }
        let links: [Link]
        do {
            links = try connection.links()
        } catch {
            throw ConditioningError(error)
        }
        let known = journal.interfaces(links.map { (index: $0.index, name: $0.name) })
        for name in known where !found.devices.contains(where: { $0.link.name == name }) {
            found.devices.append(try Inspector(connection).state(of: name))
        }
        return found
    }
}
