// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore

/// Forwards bytes, end of stream and failure from one connection to another.
///
/// Each connection has a handler, and both share an event loop. A connection is not read while the other cannot be
/// written.
final class RelayHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let partner: any Channel
    private var hasFailed = false
    private var hasEndedOutput = false
    private var hasPassedEnd = false

    init(partner: any Channel) { self.partner = partner }

    func read(context: ChannelHandlerContext) {
        if partner.isWritable { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { partner.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partner.write(unwrapInboundIn(data), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) { partner.flush() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { passEnd() }
        context.fireUserInboundEventTriggered(event)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if case .output = mode { hasEndedOutput = true }
        context.close(mode: mode, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
        context.channel.reset()
    }

    /// A connection that ended in both directions was not reset; the second end is reported only here.
    func channelInactive(context: ChannelHandlerContext) {
        if hasEndedOutput, !hasFailed { passEnd() } else { partner.reset() }
    }

    private func passEnd() {
        guard !hasPassedEnd else { return }
        hasPassedEnd = true
        // Closing the output of a connection whose input has ended closes it at once and drops pending writes.
        partner.writeAndFlush(ByteBuffer()).whenSuccess { [partner] in partner.close(mode: .output, promise: nil) }
    }
}

extension Channel {
    /// Resets a connection: unsent data is lost, and the peer receives RST.
    func reset() {
        flush()
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        close(promise: nil)
    }
}
