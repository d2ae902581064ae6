// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix
import Sandboxing
import Synchronization

/// Serves `GET /metrics`, one answer a connection.
///
/// A client may be hostile: there are a few connections at a time, each ends after a few seconds, and the text
/// is made once a second at most.
final class MetricsServer {
    /// A connection, which has one answer, lasts no longer for a client that does not ask, or does not read.
    private static let limits = ServedConnections.Limits(connections: 16, idle: .seconds(5))

    private let socket: MetricsSocket?

    /// Answers on a thread of its own until the process ends.
    init(_ results: ResultStore, at place: MetricsPlace) throws {
        if case .socket(let path) = place { try MetricsSocket.makeRoom(at: path) }
        let text = MetricsCache(results)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let connections = NIOLoopBoundBox.makeBoxSendingValue(ServedConnections(Self.limits), eventLoop: group.next())
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: true)
                    try pipeline.addHandler(MetricsHandler(text, connections.value))
                }
            }
        do {
            switch place {
            case .socket(let path):
                _ = try bootstrap.bind(unixDomainSocketPath: path).wait()
                socket = MetricsSocket(bound: path)
            case .address(let host, let port):
                _ = try bootstrap.bind(to: try SocketAddress(ipAddress: host, port: port)).wait()
                socket = nil
            }
        } catch let error as IOError {
            throw Failure(.unavailable, "cannot serve metrics: \(String(cString: strerror(error.errnoCode)))")
        } catch {
            throw Failure(.usage, "cannot serve metrics: \(error)")
        }
    }

    func close() { socket?.remove() }
}

/// The text of the metrics, made again when it is a second old.
private final class MetricsCache: Sendable {
    private let results: ResultStore
    private let latest = Mutex<(time: ContinuousClock.Instant, text: ByteBuffer)?>(nil)

    init(_ results: ResultStore) { self.results = results }

    var text: ByteBuffer {
        latest.withLock { latest in
            let now = ContinuousClock.now
            if let latest, now - latest.time < .seconds(1) { return latest.text }
            let text = ByteBuffer(string: MetricsText.text(results.rows))
            latest = (now, text)
            return text
        }
    }
}

private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let text: MetricsCache
    private let connections: ServedConnections
    private var head: HTTPRequestHead?
    private var isAnswered = false

    init(_ text: MetricsCache, _ connections: ServedConnections) {
        (self.text, self.connections) = (text, connections)
    }

    func handlerAdded(context: ChannelHandlerContext) { connections.renew(context.channel) }

    func handlerRemoved(context: ChannelHandlerContext) { connections.forget(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end: if let head, !isAnswered { answer(head, context) }
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isAnswered = true
        // What follows on this connection is not read.
        _ = context.channel.setOption(.autoRead, value: false)
        let path = head.uri.split(separator: "?").first ?? ""
        let isKnown = path == "/metrics" && (head.method == .GET || head.method == .HEAD)
        let body = isKnown ? text.text : ByteBuffer(string: "known is GET /metrics\n")
        let headers = HTTPHeaders([
            ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Content-Length", "\(body.readableBytes)"),
            ("Connection", "close"),
        ])
        let status: HTTPResponseStatus = isKnown ? .ok : path == "/metrics" ? .methodNotAllowed : .notFound
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))),
            promise: nil
        )
        if head.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
