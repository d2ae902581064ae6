// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The control socket: HTTP/1.1 over a unix socket, for the sandbox's own users.
struct ControlServer {
    let sandbox: ControlledSandbox
    /// The user whose processes may use it.
    let users: Set<uid_t>

    /// Makes the socket. A client that connects before `serve` waits.
    static func listen(at path: String) throws(SandboxError) -> CInt {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = try checked(socket(AF_UNIX, type, 0), "make the control socket")
        guard let address = try? SocketAddress(unixDomainSocketPath: path) else {
            throw SandboxError("\(path) is too long for a socket's address")
        }
        let bound = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        try checked(bound, "make \(path)")
        // Every process in the sandbox can connect; the server checks its user.
        try checked(chmod(path, 0o666), "open \(path) to the sandbox")
        try checked(Glibc.listen(descriptor, 64), "listen at \(path)")
        return descriptor
    }

    /// Serves on a thread of its own, until the process ends.
    func serve(_ descriptor: CInt) {
        let server = Shared(server: self)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                Self.peer(of: channel).flatMapThrowing { peer in
                    let isPermitted = server.server.users.contains(peer.user)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(ControlHandler(sandbox: server.server.sandbox, isPermitted: isPermitted))
                }
            }
            .withBoundSocket(descriptor)
            .whenFailure { _ in close(descriptor) }
    }

    private static func peer(of channel: any Channel) -> EventLoopFuture<lc_credentials> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        return options.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    }

    /// The group has one thread, and nothing else touches the server once it serves.
    private struct Shared: @unchecked Sendable {
        let server: ControlServer
    }
}

/// One connection: collects a request, answers it, and then deletes old lanes.
private final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let sandbox: ControlledSandbox
    private let isPermitted: Bool
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(sandbox: ControlledSandbox, isPermitted: Bool) {
        self.sandbox = sandbox
        self.isPermitted = isPermitted
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(var bytes):
            // A body that is too long is not kept.
            guard body.count <= ControlAPI.maximumBody else { return }
            body += bytes.readBytes(length: bytes.readableBytes) ?? []
        case .end: respond(context)
        }
    }

    private func respond(_ context: ChannelHandlerContext) {
        guard let head else { return }
        let answer = isPermitted ? answer(head) : ControlAPI.refuse(.forbidden, "this is another user's sandbox")
        let text = Array((answer.body.text + "\n").utf8)
        var headers = HTTPHeaders([
            ("Content-Type", "application/json"), ("Content-Length", String(text.count)), ("Cache-Control", "no-store"),
        ])
        if let allowed = answer.allowed { headers.add(name: "Allow", value: allowed) }
        if !head.isKeepAlive { headers.add(name: "Connection", value: "close") }
        let status = HTTPResponseStatus(statusCode: answer.status)
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))),
            promise: nil
        )
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: text)))), promise: nil)
        let isLast = !head.isKeepAlive
        let loopBound = NIOLoopBound((context, answer.leaving), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            let (context, leaving) = loopBound.value
            if isLast { context.close(promise: nil) }
            // Waits for lanes to drain, ten seconds at most; the next request waits too.
            for lanes in leaving { try? lanes.finish() }
        }
    }

    private func answer(_ head: HTTPRequestHead) -> ControlAPI.Answer {
        guard body.count <= ControlAPI.maximumBody else {
            return ControlAPI.refuse(.badRequest, "the body is longer than \(ControlAPI.maximumBody) bytes")
        }
        let path = head.uri.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return sandbox.answer(head.method.rawValue, path, body: body)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
