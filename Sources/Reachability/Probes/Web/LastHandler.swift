// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL

/// Sits last: what nobody before it has dealt with ends the probe.
final class LastHandler: ChannelInboundHandler {
    typealias InboundIn = Any

    /// Nil once another connection has taken over.
    var exchange: Exchange?

    init(exchange: Exchange) {
        self.exchange = exchange
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An end without close_notify is still one: what lies before it was authenticated.
        if (error as? NIOSSLError) != .uncleanShutdown { exchange?.fail(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchange?.ended()
    }
}
