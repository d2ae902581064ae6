// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles
internal import Netlink
internal import TrafficControl

/// The devices of a private network on which packets enter and leave lanes, and the interfaces of the capture: one for
/// each lane of a device, and one for the packets outside.
struct LaneInterfaces {
    /// What a packet on a device tells.
    enum Role {
        case enters(Int)
        case leaves(Int)
        /// It goes through no lane.
        case outside(Int, CapturedPacket.Direction)
        /// Nothing: it is neither a lane nor its entry.
        case other
    }

    private struct Place: Hashable {
        var device: Int32
        var lane: Lane?
    }

    private let links: () -> [Link]
    private var names: [Int32: String] = [:]
    private var roles: [Int32: Role] = [:]
    private var numbers: [Place: Int] = [:]
    private(set) var interfaces: [CapturedInterface] = []
    private let snapLength: UInt32

    /// - Parameter links: returns the network's present interfaces.
    init(snapLength: UInt32, links: @escaping () -> [Link]) {
        self.snapLength = snapLength
        self.links = links
    }

    /// The role of a device, and the interface of the capture that it led to if that is new.
    mutating func role(of index: Int32) -> (role: Role, new: (interface: CapturedInterface, lane: Lane?)?) {
        if let role = roles[index] { return (role, nil) }
        if names[index] == nil {
            for link in links() { names[link.index] = link.name }
        }
        guard let name = names[index] else { return (.other, nil) }
        let count = interfaces.count
        let role: Role
        var lane: Lane?
        if let name = LaneName(name) {
            lane = name.kind
            role = .leaves(number(Place(device: name.deviceIndex, lane: name.kind)))
        } else if let entry = EntryDevice(name) {
            switch entry.packets {
            case .lane(let kind):
                lane = kind
                role = .enters(number(Place(device: entry.deviceIndex, lane: kind)))
            case .sent: role = .outside(number(Place(device: entry.deviceIndex)), .outbound)
            case .received: role = .outside(number(Place(device: entry.deviceIndex)), .inbound)
            }
        } else {
            role = .other
        }
        roles[index] = role
        return (role, interfaces.count > count ? interfaces.last.map { ($0, lane) } : nil)
    }

    private mutating func number(_ place: Place) -> Int {
        if let number = numbers[place] { return number }
        let device = names[place.device] ?? "interface \(place.device)"
        let what = place.lane?.name ?? "outside the lanes"
        var interface = CapturedInterface(device, description: "\(what) of \(device)")
        interface.snapLength = snapLength
        interfaces.append(interface)
        numbers[place] = interfaces.count - 1
        return interfaces.count - 1
    }
}
