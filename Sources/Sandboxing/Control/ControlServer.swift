// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import SandboxClient

/// The control socket: HTTP/1.1 over a unix socket, for the sandbox's own users.
struct ControlServer {
    let sandbox: ControlledSandbox
    /// The user whose processes may use it.
    let users: Set<uid_t>

    private static let limits = ServedConnections.Limits(connections: 32, idle: .seconds(10))

    /// Makes the socket, to which `user` and root may connect. A client that connects before `serve` waits.
    static func listen(at path: String, user: uid_t) throws(SandboxError) -> CInt {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = try checked(socket(AF_UNIX, type, 0), "make the control socket")
        guard let address = try? SocketAddress(unixDomainSocketPath: path) else {
            throw SandboxError("\(path) is too long for a socket's address")
        }
        let bound = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        try checked(bound, "make \(path)")
        // connect(2) needs write permission, so other users cannot use up this process's descriptors.
        try checked(chmod(path, 0o600), "set the permissions of \(path)")
        if user != geteuid() { try checked(chown(path, user, gid_t.max), "give \(path) to the command's user") }
        try checked(Glibc.listen(descriptor, 64), "listen at \(path)")
        return descriptor
    }

    /// Serves on a thread of its own, until the process ends or the result is stopped. The thread begins the steps of a
    /// scenario, too.
    ///
    /// - Parameter isFollowed: whether the process that reads the packets is told again and again what is known.
    func serve(_ descriptor: CInt, isFollowed: Bool = false) -> Running {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var served = sandbox
        if let reader = served.reader, let observation = served.observation, let pump = served.conditions.pump {
            served.relay = JudgeRelay(reader, pump, observation, helpers: served.helpers, on: group.next())
        }
        // The group has one thread, and nothing else touches the sandbox once that serves.
        nonisolated(unsafe) let sandbox = served
        if isFollowed { sandbox.relay?.keepAsking() }
        sandbox.conditions.oldLanes.loop = group.next()
        // Before the first request, which may be for a scenario.
        sandbox.scenario?.start(on: group.next())
        let connections = NIOLoopBoundBox.makeBoxSendingValue(ServedConnections(Self.limits), eventLoop: group.next())
        let listener = ServerBootstrap(group: group)
            .childChannelInitializer { [users] channel in
                Self.peer(of: channel).flatMapThrowing { peer in
                    guard users.contains(peer.user) else { throw ChannelError.operationUnsupported }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(ControlHandler(sandbox, connections.value))
                }
            }
            .withBoundSocket(descriptor)
        listener.whenFailure { _ in close(descriptor) }
        return Running(listener: listener, connections: connections, loop: group.next()) { sandbox.relay?.stop() }
    }

    struct Running {
        fileprivate let listener: EventLoopFuture<any Channel>
        fileprivate let connections: NIOLoopBoundBox<ServedConnections>
        fileprivate let loop: any EventLoop
        fileprivate let end: @Sendable () -> Void

        /// Closes the socket and the connections, without waiting: the thread may be busy.
        func stop() {
            loop.execute(end)
            listener.whenSuccess { [connections] listener in
                listener.close(promise: nil)
                connections.value.closeAll()
            }
        }
    }

    private static func peer(of channel: any Channel) -> EventLoopFuture<lc_credentials> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        return options.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    }
}

/// One connection: collects a request and answers it.
private final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let sandbox: ControlledSandbox
    private let connections: ServedConnections
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// The answer that goes on, if that was asked for.
    private var stream: EventStream?

    init(_ sandbox: ControlledSandbox, _ connections: ServedConnections) {
        (self.sandbox, self.connections) = (sandbox, connections)
    }

    func handlerAdded(context: ChannelHandlerContext) { connections.renew(context.channel) }

    func handlerRemoved(context: ChannelHandlerContext) {
        connections.forget(context.channel)
        stream?.stop()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { stream?.advance() }

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
        let (method, path) = (head.method.rawValue, Self.path(head))
        if let file = sandbox.file(method, path) {
            let channel = context.channel
            // A client that reads nothing for as long as an idle one may live is gone.
            return FileStream(file, context) { [connections] in connections.renew(channel) }.begin()
        }
        if let events = sandbox.events, head.method == .GET, path == ControlAPI.eventsPath {
            let stream = EventStream(events, context)
            self.stream = stream
            connections.keep(context.channel, for: stream)
            return stream.begin()
        }
        guard body.count <= ControlAPI.maximumBody else {
            let problem = "the body is longer than \(ControlAPI.maximumBody) bytes"
            return send(ControlAPI.refuse(.badRequest, problem), to: head, context)
        }
        connections.keep(context.channel)
        sandbox.answer(method, path, body: body) { self.send($0, to: head, context) }
    }

    private func send(_ answer: ControlAPI.Answer, to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        // The client may not have waited.
        guard context.channel.isActive else { return }
        connections.renew(context.channel)
        let text = answer.body.map { Array(($0.text + "\n").utf8) } ?? []
        var headers = HTTPHeaders([("Cache-Control", "no-store")])
        if answer.body != nil {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: String(text.count))
        }
        if let allowed = answer.allowed { headers.add(name: "Allow", value: allowed) }
        if !head.isKeepAlive { headers.add(name: "Connection", value: "close") }
        let status = HTTPResponseStatus(statusCode: answer.status)
        context.write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
        context.write(.body(.byteBuffer(ByteBuffer(bytes: text))))
        let written = context.writeAndFlush(.end(nil))
        guard !head.isKeepAlive else { return }
        let channel = context.channel
        written.whenComplete { _ in channel.close(promise: nil) }
    }

    private static func path(_ head: HTTPRequestHead) -> String {
        head.uri.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
