// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Sits next to the socket of a probe: sees whether connect(2) itself fails and when bytes arrive, and can close
/// without the farewell of TLS.
final class WireHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let exchange: Exchange
    private var context: ChannelHandlerContext?

    init(exchange: Exchange) {
        self.exchange = exchange
    }

    /// Closes at once; what was not read is lost.
    func cut() {
        context?.close(promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
        var isWithin = true
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.assumeIsolated().whenFailure { _ in self.exchange.failedAtOnce = isWithin }
        context.connect(to: address, promise: promise)
        isWithin = false
    }

    /// A connection that is reset before a write ends without an error but that of the write.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.assumeIsolated().whenFailure { error in
            if error is IOError { self.exchange.fail(error) }
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        exchange.bytesArrive()
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        exchange.bytesWereHandled()
    }
}
