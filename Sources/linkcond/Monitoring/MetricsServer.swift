// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// Where metrics are served.
enum MetricsPlace {
    case socket(path: String)
    case address(host: String, port: Int)

    /// Reads "unix:PATH", "HOST:PORT" or ":PORT", which is loopback's.
    init(_ text: String) throws {
        if text.hasPrefix("unix:") {
            self = .socket(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw Failure(.usage, "--metrics \(text) is neither HOST:PORT nor unix:PATH")
        }
        let host = text[..<colon].filter { $0 != "[" && $0 != "]" }
        self = .address(host: host.isEmpty ? "127.0.0.1" : String(host), port: Int(port))
    }
}

/// Serves `GET /metrics`.
struct MetricsServer {
    private let results: ResultStore

    init(_ results: ResultStore) {
        self.results = results
    }

    /// Answers on a thread of its own until the process ends.
    func serve(at place: MetricsPlace) throws {
        let results = results
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(MetricsHandler(results))
                }
            }
        do {
            switch place {
            case .socket(let path):
                _ = try bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).wait()
            case .address(let host, let port):
                _ = try bootstrap.bind(to: try SocketAddress(ipAddress: host, port: port)).wait()
            }
        } catch let error as IOError {
            throw Failure(.unavailable, "cannot serve metrics: \(String(cString: strerror(error.errnoCode)))")
        } catch {
            throw Failure(.usage, "cannot serve metrics: \(error)")
        }
    }
}

private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let results: ResultStore
    private var head: HTTPRequestHead?

    init(_ results: ResultStore) {
        self.results = results
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end: if let head { answer(head, context) }
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let path = head.uri.split(separator: "?").first ?? ""
        let isKnown = path == "/metrics" && (head.method == .GET || head.method == .HEAD)
        let text = isKnown ? MetricsText.text(results.rows) : "known is GET /metrics\n"
        var headers = HTTPHeaders([
            ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Content-Length", "\(text.utf8.count)"),
        ])
        if !head.isKeepAlive { headers.add(name: "Connection", value: "close") }
        let status: HTTPResponseStatus = isKnown ? .ok : path == "/metrics" ? .methodNotAllowed : .notFound
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))),
            promise: nil
        )
        if head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            if !head.isKeepAlive { loopBound.value.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
