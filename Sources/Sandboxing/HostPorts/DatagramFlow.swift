// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// The datagrams between one client of a listener and the host, over a socket of their own.
final class DatagramFlow: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private(set) var lastUse = NIODeadline.now()

    private let client: SocketAddress
    private let listener: any Channel
    private var host: EventLoopFuture<any Channel>

    init(client: SocketAddress, listener: any Channel) {
        self.client = client
        self.listener = listener
        host = listener.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }

    /// Opens the socket, which is closed after `idleTime` without datagrams. The future completes when it is closed.
    func open(to target: SocketAddress, idleTime: TimeAmount) -> EventLoopFuture<Void> {
        let flow = NIOLoopBound(self, eventLoop: listener.eventLoop)
        host = DatagramBootstrap(group: listener.eventLoop)
            .channelOption(.recvAllocator, value: DatagramRelay.wholeDatagrams)
            .channelInitializer { host in
                host.eventLoop.makeCompletedFuture {
                    try host.pipeline.syncOperations.addHandler(IdleStateHandler(allTimeout: idleTime))
                    try host.pipeline.syncOperations.addHandler(flow.value)
                }
            }
            .connect(to: target)
        return host.flatMap { $0.closeFuture }
    }

    func send(_ data: ByteBuffer) {
        lastUse = .now()
        host.whenSuccess { host in
            // A datagram that does not fit the buffer is dropped, as in the kernel.
            if host.isWritable { host.writeAndFlush(data, promise: nil) }
        }
    }

    func close() { host.whenSuccess { $0.close(promise: nil) } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastUse = .now()
        guard listener.isWritable else { return }
        listener.write(AddressedEnvelope(remoteAddress: client, data: unwrapInboundIn(data).data), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) { listener.flush() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// A refused datagram does not close the flow: the service may start again.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
