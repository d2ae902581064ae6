// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// An answer that goes on: the events of a run as lines of JSON, those so far and then each as it comes.
///
/// Used on the connection's event loop only. Nothing is buffered for a client beyond what its socket takes: a slow client
/// reads later from the events that are kept, and its connection is closed when those are gone that it has not read.
final class EventStream {
    private let events: RunEvents
    private let context: ChannelHandlerContext
    private var next = 0
    private var watcher: Int?

    /// The size of one write.
    private static let size = 32 << 10

    init(_ events: RunEvents, _ context: ChannelHandlerContext) {
        (self.events, self.context) = (events, context)
    }

    /// Sends the answer's head and the events so far.
    func begin() {
        let headers = HTTPHeaders([("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")])
        context.write(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)))
        context.flush()
        let stream = NIOLoopBound(self, eventLoop: context.eventLoop)
        watcher = events.watch { [loop = context.eventLoop] in loop.execute { stream.value.advance() } }
        advance()
    }

    /// Sends what is new, as far as the client takes it.
    func advance() {
        while watcher != nil {
            let isWritable = context.channel.isWritable
            // For a client that does not read, only whether it is too late.
            switch events.read(from: next, size: isWritable ? Self.size : 0) {
            case .nothing: return
            case .lost:
                stop()
                return context.close(promise: nil)
            case .lines(let bytes, let next):
                guard isWritable else { return }
                self.next = next
                context.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
                context.flush()
            }
        }
    }

    /// Ends the answer.
    func finish() {
        advance()
        guard watcher != nil else { return }
        stop()
        _ = context.writeAndFlush(.end(nil))
    }

    /// Sends no more: the client has left.
    func stop() {
        if let watcher { events.unwatch(watcher) }
        watcher = nil
    }
}

extension ChannelHandlerContext {
    /// Writes a part of an answer.
    func write(_ part: HTTPServerResponsePart) { write(NIOAny(part), promise: nil) }

    func writeAndFlush(_ part: HTTPServerResponsePart) -> EventLoopFuture<Void> { writeAndFlush(NIOAny(part)) }
}
