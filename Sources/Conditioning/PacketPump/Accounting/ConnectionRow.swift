// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses
internal import LinkProfiles

/// A connection, or another flow, as `GET /v1/connections` lists it. A member that is not known is nil.
package struct ConnectionRow: Hashable, Sendable {
    /// Bytes in each direction; nil for a direction in which they are not counted.
    package struct Bytes: Hashable, Sendable {
        package var up: UInt64?
        package var down: UInt64?

        package init(up: UInt64? = nil, down: UInt64? = nil) { (self.up, self.down) = (up, down) }

        package var sum: UInt64 { (up ?? 0) + (down ?? 0) }
    }

    package struct End: Hashable, Sendable {
        package var address: IPAddress
        package var port: UInt16

        package init(_ address: IPAddress, port: UInt16) { (self.address, self.port) = (address, port) }

        /// "192.0.2.1:443", "[2001:db8::1]:443", or the address alone without a port.
        package var text: String {
            guard port > 0 else { return "\(address)" }
            return address.family == .ipv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        }
    }

    /// The ends of a connection, which identify it.
    package struct Ends: Hashable, Sendable {
        package let transport: String
        package let client: End
        package let peer: End

        package init(_ transport: String, _ client: End, _ peer: End) {
            (self.transport, self.client, self.peer) = (transport, client, peer)
        }

        package var reversed: Ends { Ends(transport, peer, client) }
    }

    /// The same for one connection at all times.
    package var id: String
    /// The process with its ID: "curl (123)".
    package var process: String?
    package var transport: String
    package var client: End
    package var peer: End
    /// The peer's name, from a DNS answer.
    package var name: String?
    package var state: String
    /// The rule, as "eth0#1".
    package var rule: String?
    package var seen = Bytes()
    package var delivered = Bytes()
    package var retransmissions: UInt64?
    /// The lost packets by group of causes, those that lost any; nil if they are not counted.
    package var lost: [Loss]?
    /// The packets that linkcond itself lost; nil if they are not counted.
    package var own: UInt64?
    /// Seconds since the first packet and since the last one.
    package var age: Double?
    package var idle: Double?

    package struct Loss: Hashable, Sendable {
        package var cause: String
        package var packets: UInt64

        package init(_ cause: String, _ packets: UInt64) { (self.cause, self.packets) = (cause, packets) }
    }

    package init(id: String, transport: String, client: End, peer: End, state: String) {
        (self.id, self.transport, self.client, self.peer, self.state) = (id, transport, client, peer, state)
    }

    package var ends: Ends { Ends(transport, client, peer) }
    package var lostPackets: UInt64 { lost?.reduce(0) { $0 + $1.packets } ?? 0 }
}

extension ConnectionRow {
    /// The causes of losses, in groups; those of linkcond itself are apart.
    private static let causes: KeyValuePairs<String, [DropReason]> = [
        "random": [.randomLoss, .burstLoss], "queue": [.queueFull, .outage],
        "down": [.linkDown, .oldAddress, .noIPv6, .noMapping], "step": [.step, .stopped],
    ]

    /// The row of a pump's flow.
    ///
    /// - Parameters:
    ///   - pump: distinguishes the flows of several pumps: the interface and the rule, as "eth0#1".
    ///   - now: the time in nanoseconds of the monotonic clock.
    package init?(_ flow: FlowEntry, of pump: String, now: Int64) {
        guard let client = flow.clientEnd, let peer = flow.peerEnd else { return nil }
        let transport =
            switch flow.transport {
            case 6: "tcp"
            case 17: "udp"
            case _ where flow.isICMP: "icmp"
            case let number: "\(number)"
            }
        self.init(
            id: "\(pump)/\(flow.number)",
            transport: transport,
            client: End(client.address, port: client.port),
            peer: End(peer.address, port: peer.port),
            state: flow.state.rawValue
        )
        rule = pump
        seen = Bytes(up: flow.up.seenBytes, down: flow.down.seenBytes)
        delivered = Bytes(up: flow.up.deliveredBytes, down: flow.down.deliveredBytes)
        if transport == "tcp" { retransmissions = flow.up.retransmissions + flow.down.retransmissions }
        var losses = Self.causes.map { cause, reasons in Loss(cause, reasons.reduce(0) { $0 + flow.drops($1) }) }
        // All faults are counted as one reason.
        losses.append(Loss("fault", flow.drops(.fault(FaultMark(1, .lose)))))
        lost = losses.filter { $0.packets > 0 }
        own = flow.drops(.memory) + flow.drops(.refused)
        age = max(0, Double(now - flow.first) / 1e9)
        idle = max(0, Double(now - flow.last) / 1e9)
    }
}
