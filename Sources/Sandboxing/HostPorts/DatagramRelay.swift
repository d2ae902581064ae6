// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Relays the datagrams of a listener's clients, each over a flow of its own, so that answers find their way back.
final class DatagramRelay: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    /// How much is kept for clients of whom nobody can tell whether they are still there.
    struct Limits: Sendable {
        var clients = 1024
        var idleTime = Duration.seconds(60)
    }

    /// A read that has room for the largest datagram; a longer one would be cut.
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

    /// The listener serves every client, so that one's error must not end it.
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
            // By now the client may have another.
            if relay.flows[client] === flow { relay.flows[client] = nil }
        }
        return flow
    }
}
