// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// Takes rules away.
extension InterfaceConditioner {
    /// What `remove` did.
    public struct RemovalReport: Sendable {
        /// An interface that was looked at.
        public struct Interface: Sendable {
            /// Its name.
            public let name: String
            /// The names of the profiles it had.
            public let profiles: [String]
            /// Whether anything of linkcond was on it.
            public let wasConditioned: Bool
        }

        /// The interfaces.
        public let interfaces: [Interface]
        /// The deleted lanes of interfaces that are gone.
        public let abandonedLanes: [String]
        /// What a lane still held when it was deleted, in words.
        public let losses: [String]
    }

    /// Takes all rules away and restores the interfaces. Safe to repeat.
    ///
    /// - Parameters:
    ///   - interface: only this one; nil for all of this network with anything of linkcond, be it only in the journal.
    ///   - isPatient: whether to wait, up to 10 s, for what the lanes hold.
    @discardableResult
    public func remove(
        from interface: String? = nil,
        isPatient: Bool = true
    ) throws(ConditioningError) -> RemovalReport {
        let (devices, abandoned) = try removableDevices(interface)
        var removals: [Removal] = []
        // In the order of the devices, which all processes use, so that no two wait for each other.
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

    /// Deletes locks that killed processes left for interfaces without an entry.
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
