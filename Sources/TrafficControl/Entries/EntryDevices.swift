// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
package import Netlink

/// The devices that show a capture the packets of a private network before its lanes. They end with the network.
package struct EntryDevices {
    private let connection: RouteConnection
    /// The conditioned devices.
    private let devices: [Link]
    private var present: Set<EntryDevice> = []

    /// The cookie of the filters for packets that go through no lane.
    static let cookie = Array("linkcond copy".utf8)
    /// After the filters of all lanes.
    private static let lastPreference = UInt16.max

    /// Prepares devices for the packets of `names`. Nothing is made yet.
    package init(of names: [String], _ connection: RouteConnection) throws(NetlinkError) {
        self.connection = connection
        devices = try names.map { name throws(NetlinkError) in try connection.link(named: name) }
    }

    /// Makes the devices that the lanes of `plan` need, and has its filters send them copies.
    package mutating func join(_ plan: Plan, on name: String) throws(NetlinkError) -> Plan {
        guard let device = devices.first(where: { $0.name == name }) else { return plan }
        func joined(_ filter: LaneFilter) -> LaneFilter {
            var filter = filter
            filter.entry = EntryDevice(deviceIndex: device.index, .lane(filter.mark.lane)).description
            return filter
        }
        for lane in plan.expected where lane.lane != nil {
            try add(EntryDevice(deviceIndex: device.index, .lane(lane.name.kind)))
        }
        var plan = plan
        plan.build = plan.build.map { step in
            switch step {
            case .kernel(.addFilter(let filter)): .kernel(.addFilter(joined(filter)))
            case .kernel(.replaceFilter(let filter, let previous)):
                .kernel(.replaceFilter(joined(filter), previous: joined(previous)))
            default: step
            }
        }
        return plan
    }

    /// Shows the packets that go through no lane: all, without conditions.
    package mutating func showOthers() throws(NetlinkError) {
        for device in devices {
            do throws(NetlinkError) {
                try connection.perform(Qdisc.clsact(on: device.index).add(on: device.name))
            } catch {
                // There are lanes.
                guard error.code == EEXIST else { throw error }
            }
            try copy(.sent, from: .egress, of: device)
            // Loopback receives what it has sent.
            if !device.isLoopback { try copy(.received, from: .ingress, of: device) }
        }
    }

    private mutating func copy(
        _ packets: EntryDevice.Packets,
        from hook: Handle,
        of device: Link
    ) throws(NetlinkError) {
        let entry = EntryDevice(deviceIndex: device.index, packets)
        try add(entry)
        let filter = CopyFilter(
            link: device.index,
            hook: hook,
            preference: Self.lastPreference,
            cookie: Self.cookie,
            target: try connection.link(named: entry.description).index
        )
        try connection.perform(filter.add(on: device.name))
    }

    private mutating func add(_ entry: EntryDevice) throws(NetlinkError) {
        guard !present.contains(entry) else { return }
        let name = entry.description
        try connection.perform(LinkRequest.addIFB(name, queueLength: 1000))
        do {
            try connection.perform(LinkRequest.disableAddressGeneration(of: name))
        } catch  where error.code == EAFNOSUPPORT {
            // A kernel without IPv6 assigns no addresses.
        }
        try connection.perform(LinkRequest.bringUp(name))
        present.insert(entry)
    }
}
