// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkProfiles
internal import LinkRules
internal import PacketFaults

extension PumpLoop {
    /// Lets faults that have just taken effect decide about the open connections, and sends the packets that they make.
    mutating func startFaults(after earlier: PacketFaults?) {
        guard faults?.concernsOpenConnections == true else { return }
        let now = lc_monotonic_time()
        var open: [OpenConnection] = []
        for flow in flows.openFlows(at: Self.seconds(now)) { open.append(connection(flow)) }
        let made = faults?.start(with: open, after: earlier, at: now) ?? []
        send(made, now)
    }

    /// Ends the connections that have been idle for a fault's idle time.
    mutating func endIdleConnections() {
        let now = lc_monotonic_time()
        for idle in faults?.popIdle(at: now) ?? [] {
            guard let flow = flows.openFlow(between: idle.near, and: idle.far, at: Self.seconds(now)) else { continue }
            let connection = connection(flow)
            send(faults?.end(connection, as: idle) ?? [], now)
        }
    }

    static func seconds(_ now: Int64) -> UInt32 { UInt32(truncatingIfNeeded: now / 1_000_000_000) }

    private func connection(_ flow: OpenFlow) -> OpenConnection {
        let isLoopback = inputs[Int(flow.route.input)].traffic == .loopback
        return flow.connection(isOpenerNear: isLoopback || isNear(flow.route) == flow.isSenderOpener)
    }

    /// Whether the conditioned host sent the packet that `route` describes.
    private func isNear(_ route: FlowRoute) -> Bool { !inputs[Int(route.input)].isDownlink }

    /// Sends packets that faults have made, as if for an uplink packet: the route of the connection gives the
    /// link-layer header.
    private mutating func send(_ made: [MadePacket], _ now: Int64) {
        for packet in made {
            guard let route = flows.route(of: packet.bytes, at: Self.seconds(now)),
                let input = inputIndex(for: .uplink, besides: Int(route.input))
            else { continue }
            let linkHeader = isNear(route) ? route.link : Self.reversed(route.link)
            send(packet, about: linkHeader, input, .uplink, now)
            // Each connection is counted once, for the packet to its near end.
            if packet.isForSender { hits.hit(packet.mark) }
        }
    }
}
