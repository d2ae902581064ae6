// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses
package import LinkProfiles

/// The account of one flow: what its two ends have sent, and what the link did to it. Only words of 64 bits, so that it
/// can be copied to and from shared memory.
///
/// The client is the end from which packets of the uplink come: the conditioned host, or the opener on loopback.
/// Packets count when their fate is known; those that the link still holds do not. Bytes are those of frames.
package struct FlowEntry: Sendable {
    /// The packets of one direction. Copies that the link makes are not counted as seen.
    package struct Traffic: Hashable, Sendable {
        package internal(set) var seenPackets: UInt64 = 0
        package internal(set) var seenBytes: UInt64 = 0
        /// Packets delivered, including duplicates.
        package internal(set) var deliveredPackets: UInt64 = 0
        package internal(set) var deliveredBytes: UInt64 = 0
        /// Packets of TCP that repeat payload, SYN or FIN.
        package internal(set) var retransmissions: UInt64 = 0
    }

    /// The number of packets with a delay, and the sum of their delays.
    package struct Delays: Hashable, Sendable {
        package var packets: UInt64
        package var nanoseconds: UInt64

        package init(packets: UInt64 = 0, nanoseconds: UInt64 = 0) {
            (self.packets, self.nanoseconds) = (packets, nanoseconds)
        }
    }

    /// The flow's number, counted from 1; a later flow between the same ends has another one.
    package internal(set) var number: UInt64 = 0
    var client: (UInt64, UInt64) = (0, 0)
    var peer: (UInt64, UInt64) = (0, 0)
    /// The client's port, the peer's port, the protocol, and whether the addresses are IPv6.
    var ends: UInt64 = 0
    var marks = FlowMarks()
    /// The times of the first and the last packet, in nanoseconds of the monotonic clock.
    package internal(set) var first: Int64 = 0
    package internal(set) var last: Int64 = 0
    package internal(set) var up = Traffic()
    package internal(set) var down = Traffic()
    var uplinkDelays = Delays()
    var downlinkDelays = Delays()
    var dnsDelays = Delays()
    var dropped = DropReason.Counters(repeating: 0)

    static let words = MemoryLayout<FlowEntry>.size / MemoryLayout<UInt64>.size

    init() {}
}

extension FlowEntry {
    /// An end of the flow.
    package struct End: Hashable, Sendable {
        package let address: IPAddress
        /// The port, or the client's identifier of an ICMP query; 0 for other protocols and for the peer of a query.
        package let port: UInt16
    }

    package var clientEnd: End? { end(client, UInt16(truncatingIfNeeded: ends)) }
    package var peerEnd: End? { end(peer, UInt16(truncatingIfNeeded: ends >> 16)) }

    /// The number of the flow's transport protocol: 6 for TCP.
    package var transport: UInt8 { UInt8(truncatingIfNeeded: ends >> 32) }

    private var isIPv6: Bool { ends >> 40 & 1 != 0 }

    private func end(_ address: (UInt64, UInt64), _ port: UInt16) -> End? {
        let bytes = withUnsafeBytes(of: address) { Array($0) }
        // The memory may belong to another process: anything may be in it.
        return IPAddress(bytes: isIPv6 ? bytes : Array(bytes[8..<12])).map { End(address: $0, port: port) }
    }

    /// Whether the flow is between ICMP's ends.
    package var isICMP: Bool { transport == (isIPv6 ? 58 : 1) }

    /// Packets dropped for `reason`, in both directions; all faults count as one reason.
    package func drops(_ reason: DropReason) -> UInt64 { dropped[reason.counter] }

    /// The packets of one direction.
    subscript(isDown isDown: Bool) -> Traffic {
        get { isDown ? down : up }
        _modify {
            if isDown { yield &down } else { yield &up }
        }
    }

    /// The delays of the packets of one lane that were delivered.
    package internal(set) subscript(lane: Lane) -> Delays {
        get {
            switch lane {
            case .uplink: uplinkDelays
            case .downlink: downlinkDelays
            case .dns: dnsDelays
            }
        }
        _modify {
            switch lane {
            case .uplink: yield &uplinkDelays
            case .downlink: yield &downlinkDelays
            case .dns: yield &dnsDelays
            }
        }
    }

    package var state: ConnectionState { marks.state }
    /// Which end opened the flow; nil if its first packet was not seen.
    package var opener: Direction? { marks.opener }
}

/// The state of a TCP connection, as its packets show it; none for other protocols.
package enum ConnectionState: String, Hashable, Sendable {
    case none = ""
    case opening, open, closing, closed, reset
}

/// What was seen of a flow's packets: a set of bits.
struct FlowMarks: OptionSet, Hashable, Sendable {
    var rawValue: UInt64 = 0

    static let isTCP = FlowMarks(rawValue: 1)
    static let synUp = FlowMarks(rawValue: 1 << 1)
    static let synDown = FlowMarks(rawValue: 1 << 2)
    static let finUp = FlowMarks(rawValue: 1 << 3)
    static let finDown = FlowMarks(rawValue: 1 << 4)
    static let reset = FlowMarks(rawValue: 1 << 5)
    /// A packet after the handshake.
    static let later = FlowMarks(rawValue: 1 << 6)
    static let openedByClient = FlowMarks(rawValue: 1 << 7)
    static let openedByPeer = FlowMarks(rawValue: 1 << 8)

    var state: ConnectionState {
        guard contains(.isTCP) else { return .none }
        if contains(.reset) { return .reset }
        if isSuperset(of: [.finUp, .finDown]) { return .closed }
        if !isDisjoint(with: [.finUp, .finDown]) { return .closing }
        return contains(.later) || isSuperset(of: [.synUp, .synDown]) ? .open : .opening
    }

    /// Whether a SYN with the same ends starts another connection.
    var isOver: Bool { !isDisjoint(with: [.reset, .finUp, .finDown]) }

    var opener: Direction? { contains(.openedByClient) ? .uplink : contains(.openedByPeer) ? .downlink : nil }
}
