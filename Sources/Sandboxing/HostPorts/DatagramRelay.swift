// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Relays the datagrams of a listener's clients, with a flow for each client, which routes the answers back.
final class DatagramRelay: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    /// The limits for idle clients, since UDP does not tell whether they still exist.
    struct Limits: Sendable {
        var clients = 1024
        var idleTime = Duration.seconds(60)
    }

    /// The size of a read: the largest datagram, since a longer one would be truncated.
    static let wholeDatagrams = FixedSizeRecvByteBufferAllocator(capacity: 65536)

    private let target: SocketAddress
    private let limits: Limits
    private var flows: [SocketAddress: DatagramFlow] = [:]

    init(target: SocketAddress, limits: Limits) {
        self.target = target
        self.limits = limits
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        let client = envelope.remoteAddress
        let flow = flows[client] ?? open(for: client, context)
        flow.send(envelope.data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        for flow in flows.values { flow.close() }
    }

    /// One client's error must not end the listener, which serves every client.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    private func open(for client: SocketAddress, _ context: ChannelHandlerContext) -> DatagramFlow {
        if flows.count >= limits.clients, let idlest = flows.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            flows[idlest.key] = nil
            idlest.value.close()
        }
        let flow = DatagramFlow(client: client, listener: context.channel)
        flows[client] = flow
        let bound = NIOLoopBound((relay: self, flow: flow), eventLoop: context.eventLoop)
        flow.open(to: target, idleTime: TimeAmount(limits.idleTime)).whenComplete { _ in
            let (relay, flow) = bound.value
            // The client may have a new flow by now.
            if relay.flows[client] === flow { relay.flows[client] = nil }
        }
        return flow
    }
}
