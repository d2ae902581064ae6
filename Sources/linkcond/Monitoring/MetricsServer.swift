// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Serves `GET /metrics`, one answer a connection.
///
/// A client may be hostile: there are a few connections at a time, each ends after a few seconds, and the text
/// is made once a second at most.
final class MetricsServer {
    /// How many connections there are at a time; further ones are closed at once.
    static let mostConnections = 16
    /// How long a connection may last, for a client that does not ask, or does not read.
    static let timeLimit = TimeAmount.seconds(5)

    private let socket: MetricsSocket?

    /// Answers on a thread of its own until the process ends.
    init(_ results: ResultStore, at place: MetricsPlace) throws {
        let text = MetricsCache(results)
        let connections = ConnectionCount()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(ConnectionLimit(connections))
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: true)
                    try pipeline.addHandler(MetricsHandler(text))
                }
            }
        do {
            switch place {
            case .socket(let path):
                try MetricsSocket.makeRoom(at: path)
                _ = try bootstrap.bind(unixDomainSocketPath: path).wait()
                socket = MetricsSocket(bound: path)
            case .address(let host, let port):
                _ = try bootstrap.bind(to: try SocketAddress(ipAddress: host, port: port)).wait()
                socket = nil
            }
        } catch let error as Failure {
            throw error
        } catch let error as IOError {
            throw Failure(.unavailable, "cannot serve metrics: \(String(cString: strerror(error.errnoCode)))")
        } catch {
            throw Failure(.usage, "cannot serve metrics: \(error)")
        }
    }

    /// Removes the socket that was made.
    func close() { socket?.remove() }
}

/// The text of the metrics, made again when it is a second old.
private final class MetricsCache: Sendable {
    private let results: ResultStore
    private let latest = Mutex<(time: ContinuousClock.Instant, text: ByteBuffer)?>(nil)

    init(_ results: ResultStore) {
        self.results = results
    }

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

/// How many connections there are.
private final class ConnectionCount: Sendable {
    let value = Atomic(0)
}

/// Closes a connection that is one too many, and one that lasts too long.
private final class ConnectionLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connections: ConnectionCount
    private var end: Scheduled<Void>?

    init(_ connections: ConnectionCount) {
        self.connections = connections
    }

    func channelActive(context: ChannelHandlerContext) {
        guard connections.value.add(1, ordering: .relaxed).newValue <= MetricsServer.mostConnections else {
            return context.close(promise: nil)
        }
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: MetricsServer.timeLimit) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        connections.value.subtract(1, ordering: .relaxed)
        end?.cancel()
        context.fireChannelInactive()
    }
}

private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let text: MetricsCache
    private var head: HTTPRequestHead?
    private var isAnswered = false

    init(_ text: MetricsCache) {
        self.text = text
    }

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

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
