// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import SandboxClient
internal import SocketServing

/// The control socket: HTTP/1.1 over a unix socket, for the sandbox's own users.
struct ControlServer {
    let sandbox: ControlledSandbox
    /// The user whose processes may use it.
    let users: Set<uid_t>

    private static let limits = ServedConnections.Limits(connections: 256, idle: .seconds(10))

    /// Makes the socket, to which `user` and root may connect. A client that connects before `serve` waits.
    static func listen(at path: String, user: uid_t) throws(SandboxError) -> CInt {
        let descriptor = try onSystem(ListeningSocket.bound(to: path))
        // connect(2) needs write permission, so other users cannot use up this process's descriptors.
        try checked(chmod(path, 0o600), "set the permissions of \(path)")
        if user != geteuid() { try checked(chown(path, user, gid_t.max), "give \(path) to the command's user") }
        try checked(Glibc.listen(descriptor, 128), "listen at \(path)")
        return descriptor
    }

    /// Serves on a thread of its own, until the process ends or the result is stopped. The thread begins the steps of a
    /// scenario, too.
    ///
    /// - Parameter isFollowed: whether the process that reads the packets is told again and again what is known.
    func serve(_ descriptor: CInt, isFollowed: Bool = false) -> Running {
        let loop = Self.loop()
        var served = sandbox
        if let reader = served.reader, let observation = served.observation, let pump = served.conditions.pump {
            served.relay = JudgeRelay(reader, pump, observation, helpers: served.helpers, on: loop)
        }
        // The loop has one thread, and nothing else touches the sandbox once that serves.
        nonisolated(unsafe) let sandbox = served
        if isFollowed { sandbox.relay?.keepAsking() }
        sandbox.conditions.oldLanes.loop = loop
        // Before the first request, which may be for a scenario.
        sandbox.scenario?.start(on: loop)
        let server = try? loop.perform { [users] in
            LoopBound(try? Self.server(descriptor, on: loop, sandbox, users), on: loop)
        }
        return Running(server: server, loop: loop) { sandbox.relay?.stop() }
    }

    private static func loop() -> EventLoop {
        do {
            return try EventLoop.start()
        } catch {
            preconditionFailure("no event loop for the control socket: \(error)")
        }
    }

    struct Running {
        fileprivate let server: LoopBound<HTTPServer?>?
        fileprivate let loop: EventLoop
        fileprivate let end: @Sendable () -> Void

        /// Runs `body` on the server's thread.
        func execute(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

        /// Runs `body` on the server's thread, and waits for its result; nil where there is none.
        func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? { try? loop.perform(body) }

        /// Closes the socket and the connections, without waiting: the thread may be busy.
        func stop() {
            loop.execute { [server, end] in
                end()
                server?.value?.close()
            }
            loop.stop()
        }
    }

    private static func server(
        _ descriptor: CInt,
        on loop: EventLoop,
        _ sandbox: ControlledSandbox,
        _ users: Set<uid_t>
    ) throws(SystemError) -> HTTPServer {
        try HTTPServer(
            descriptor,
            on: loop,
            limits,
            longestBody: ControlAPI.maximumBody,
            admits: { users.contains(lc_peer($0).user) },
            respond: { respond(to: $0, over: $1, of: $2, sandbox) }
        )
    }

    private static func respond(
        to request: HTTPRequest,
        over connection: HTTPConnection,
        of connections: ServedConnections,
        _ sandbox: ControlledSandbox
    ) {
        let (method, path) = (request.method, request.path)
        if let file = sandbox.file(method, path) {
            // A client that reads nothing for as long as an idle one may live is gone.
            return FileStream(file, connection) { connections.renew(connection) }.begin()
        }
        if let events = sandbox.events, method == "GET", path == ControlAPI.Resource.events.rawValue {
            let stream = EventStream(events, connection)
            connections.keep(connection) { stream.finish() }
            return stream.begin()
        }
        guard let body = request.body else {
            let problem = "the body is longer than \(ControlAPI.maximumBody) bytes"
            return send(ControlAPI.refuse(.badRequest, problem), over: connection, of: connections)
        }
        connections.keep(connection)
        let client = connection.descriptor.map { lc_peer($0).process }
        sandbox.answer(method, path, body: body, from: client) { send($0, over: connection, of: connections) }
    }

    private static func send(
        _ answer: ControlAPI.Answer,
        over connection: HTTPConnection,
        of connections: ServedConnections
    ) {
        // The client may not have waited.
        guard connection.isOpen else { return }
        connections.renew(connection)
        let text = answer.body.map { Array(($0.text + "\n").utf8) } ?? []
        var fields = [("Cache-Control", "no-store")]
        if answer.body != nil {
            fields += [("Content-Type", "application/json"), ("Content-Length", String(text.count))]
        }
        if let allowed = answer.allowed { fields.append(("Allow", allowed)) }
        connection.answer(answer.status, fields, body: text)
    }
}
