// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
package import LinkProfiles

/// The names of a kernel's interface in a capture.
package struct CapturedDevice {
    /// The interface's name; for a lane, the conditioned interface's.
    var name: String
    /// The lane that ends at the interface; nil for none.
    var lane: Lane?

    package init(_ name: String, _ lane: Lane? = nil) {
        self.name = name
        self.lane = lane
    }
}

extension CapturedInterface {
    /// A lane of the conditioned interface called `device`.
    init(_ lane: Lane, of device: String, snapLength: UInt32) {
        self.init(device, description: "\(lane) of \(device)", snapLength: snapLength)
    }
}

extension Lane {
    /// The direction of the lane's packets, seen from the command.
    var packetDirection: CapturedPacket.Direction { direction == .downlink ? .inbound : .outbound }
}

/// The interfaces in a capture, by their index in the kernel. An interface that appears later is added with its first
/// packet.
struct CapturedInterfaces {
    private var numbers: [Int32: Int] = [:]
    /// The interface that was looked up last: the next packet is mostly of the same one.
    private var last: (index: Int32, number: Int)?
    /// The interfaces by their number in the capture; `direction` is the direction of all packets of a lane.
    private var interfaces: [(interface: CapturedInterface, direction: CapturedPacket.Direction?)] = []
    private let snapLength: UInt32
    private let filter: String?
    private let name: (Int32) -> CapturedDevice?

    /// - Parameter name: returns the name of an interface; nil if it is gone.
    init(snapLength: UInt32, filter: String?, name: @escaping (Int32) -> CapturedDevice?) {
        self.snapLength = snapLength
        self.filter = filter
        self.name = name
    }

    /// The number of interfaces that have been added.
    var count: Int { interfaces.count }

    /// Returns the number of an interface in the capture; adds an unknown interface to the capture.
    mutating func number(of index: Int32, hardware: UInt16, _ encoder: inout PcapngEncoder) -> Int {
        if let last, last.index == index { return last.number }
        if let number = numbers[index] {
            last = (index, number)
            return number
        }
        let device = name(index) ?? CapturedDevice("interface \(index)")
        var interface = CapturedInterface(device.name, Self.linkType(hardware), snapLength: snapLength)
        if let lane = device.lane { interface = CapturedInterface(lane, of: device.name, snapLength: snapLength) }
        interface.filter = filter
        // After a switch of the conditions, a new interface carries the same lane.
        let known = device.lane == nil ? nil : interfaces.firstIndex { $0.interface == interface }
        let number = known ?? encoder.add(interface)
        numbers[index] = number
        if known == nil { interfaces.append((interface, device.lane?.packetDirection)) }
        return number
    }

    func interface(_ number: Int) -> CapturedInterface { interfaces[number].interface }

    /// The direction of all packets of an interface; nil if each packet has its own.
    func direction(_ number: Int) -> CapturedPacket.Direction? { interfaces[number].direction }

    /// Forgets all interfaces, for a new file.
    mutating func reset() { (numbers, interfaces, last) = ([:], [], nil) }

    /// The link type of an interface of the kind `hardware`, an ARPHRD of <net/if_arp.h>; Ethernet unless the kind has
    /// no header.
    static func linkType(_ hardware: UInt16) -> CapturedInterface.LinkType {
        kindsWithoutHeader.contains(hardware) ? .raw : .ethernet
    }

    /// Kinds whose packets begin with the IP header: ARPHRD_NONE, ARPHRD_RAWIP, ARPHRD_TUNNEL, ARPHRD_TUNNEL6,
    /// ARPHRD_SIT, ARPHRD_IPGRE and ARPHRD_PPP.
    static let kindsWithoutHeader: [UInt16] = [0xFFFE, 519, 768, 769, 776, 778, 512]
}
