// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import SandboxClient
internal import SocketServing

/// The control socket: HTTP/1.1 over a unix socket, for the sandbox's own users.
///
/// Two threads: one serves the connections, and never waits for the kernel or the pump; the other owns the sandbox, changes its
/// conditions and begins the steps of its scenario. Requests go from the first to the second in the order in which they came,
/// and their answers back.
enum ControlServer {
    private static let limits = ServedConnections.Limits(connections: 256, idle: .seconds(10))

    /// Makes the socket, to which `user` and root may connect. A client that connects before `serve` is called waits.
    static func listen(at path: String, user: uid_t) throws(SandboxError) -> CInt {
        let descriptor = try onSystem(ListeningSocket.bound(to: path))
        // connect(2) needs write permission, so other users cannot use up this process's descriptors.
        try checked(chmod(path, 0o600), "set the permissions of \(path)")
        if user != geteuid() { try checked(chown(path, user, gid_t.max), "give \(path) to the command's user") }
        try checked(Glibc.listen(descriptor, 128), "listen at \(path)")
        return descriptor
    }

    /// Serves until the process ends or the result is stopped.
    ///
    /// - Parameters:
    ///   - sandbox: the sandbox, which belongs to the thread that changes conditions from now on.
    ///   - users: the users whose processes may use the socket.
    ///   - isFollowed: whether to ask the process that reads the packets regularly to look at the run so far.
    static func serve(
        _ descriptor: CInt,
        for sandbox: sending ControlledSandbox,
        users: Set<uid_t>,
        isFollowed: Bool = false
    ) -> Running {
        let (loop, owner) = (Self.loop(), Self.loop())
        if let reader = sandbox.reader, let observation = sandbox.observation, let pump = sandbox.conditions.pump {
            sandbox.relay = JudgeRelay(reader, pump, observation, helpers: sandbox.helpers)
        }
        let (relay, events) = (sandbox.relay, sandbox.events)
        if isFollowed { relay?.keepAsking() }
        let owned = LoopBound(giving: sandbox, to: owner)
        // Scheduled before the first request, which may be for a scenario.
        owned.execute { $0.start(on: owner) }
        let server = try? loop.perform {
            LoopBound(try? Self.server(descriptor, on: loop, owned, events, users), on: loop)
        }
        return Running(server: server, loop: loop, sandbox: owned) { relay?.stop() }
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
        /// The sandbox, on the thread that changes its conditions.
        let sandbox: LoopBound<ControlledSandbox>
        fileprivate let end: @Sendable () -> Void

        /// Closes the socket and the connections, without waiting: the threads may be busy.
        func stop() {
            loop.execute { [server, end] in
                end()
                server?.value?.close()
            }
            loop.stop()
            sandbox.loop.stop()
        }
    }

    private static func server(
        _ descriptor: CInt,
        on loop: EventLoop,
        _ sandbox: LoopBound<ControlledSandbox>,
        _ events: RunEvents?,
        _ users: Set<uid_t>
    ) throws(SystemError) -> HTTPServer {
        try HTTPServer(
            descriptor,
            on: loop,
            limits,
            longestBody: ControlAPI.maximumBody,
            admits: { users.contains(lc_peer($0).user) },
            respond: { respond(to: $0, over: Client(connection: $1, connections: $2), sandbox, events) }
        )
    }

    /// A connection that waits for an answer. Used on the thread that serves it.
    private struct Client {
        let connection: HTTPConnection
        let connections: ServedConnections
    }

    private static func respond(
        to request: HTTPRequest,
        over client: Client,
        _ sandbox: LoopBound<ControlledSandbox>,
        _ events: RunEvents?
    ) {
        let (connection, connections) = (client.connection, client.connections)
        let (method, path, body) = (request.method, request.path, request.body)
        if let events, method == "GET", path == ControlAPI.Resource.events.rawValue {
            let stream = EventStream(events, connection)
            connections.keep(connection) { stream.finish() }
            return stream.begin()
        }
        connections.keep(connection)
        let name = connection.descriptor.flatMap { ControlledSandbox.clientName(lc_peer($0).process, method, path) }
        let waiting = LoopBound(client, on: connection.loop)
        @Sendable func reply(_ body: @escaping @Sendable (Client) -> Void) { waiting.execute(body) }
        sandbox.execute { sandbox in
            if let file = sandbox.file(method, path) { return reply { send(file, over: $0) } }
            guard let body else {
                let problem = "the body is longer than \(ControlAPI.maximumBody) bytes"
                return reply { send(ControlAPI.refuse(.badRequest, problem), over: $0) }
            }
            sandbox.answer(method, path, body: body, from: name) { answer in reply { send(answer, over: $0) } }
        }
    }

    private static func send(_ file: CInt, over client: Client) {
        let (connection, connections) = (client.connection, client.connections)
        // The client may have closed the connection meanwhile.
        guard connection.isOpen else { return }
        // Renewed with each piece: a client that reads nothing for as long as a connection may be idle is dropped.
        let fields = [("Content-Type", "application/octet-stream"), ("Cache-Control", "no-store")]
        FileStream(file, connection) { connections.renew(connection) }.begin(fields)
    }

    private static func send(_ answer: ControlAPI.Answer, over client: Client) {
        let connection = client.connection
        // The client may have closed the connection meanwhile.
        guard connection.isOpen else { return }
        client.connections.renew(connection)
        let text = answer.body.map { Array(($0.text + "\n").utf8) } ?? []
        var fields = [("Cache-Control", "no-store")]
        if answer.body != nil {
            fields += [("Content-Type", "application/json"), ("Content-Length", String(text.count))]
        }
        if let allowed = answer.allowed { fields.append(("Allow", allowed)) }
        connection.answer(answer.status, fields, body: text)
    }
}
