// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinuxSystem
internal import SocketServing

/// Serves the page and its API to the browsers of this host.
///
/// One thread serves the connections, and never waits for the kernel or a command. The worker thread asks the resources
/// and renews the live text; each group of slow resources has another thread.
package struct PaneService {
    private static let limits = ServedConnections.Limits(connections: 256, idle: .seconds(10))
    /// The longest body of a request. Bodies are kept before their senders are known: 256 of them take 16 MiB.
    static let longestBody = 64 << 10
    /// Browsers wait for a response before they send the next request over the connection.
    private static let readAhead = 4 << 10

    private let sockets: PaneSockets
    private let report: ReportFolder?
    private let gate: PaneGate
    /// The address for the browser, with the code.
    package let address: String

    /// Starts no thread yet, so that the caller can start a browser. A client that connects before `start` waits.
    ///
    /// - Parameters:
    ///   - sockets: listening sockets, of which it takes ownership.
    ///   - token: the token of scripts; nil for none.
    package init(_ sockets: PaneSockets, report: ReportFolder? = nil, token: PaneToken? = nil) {
        var random = SystemRandomNumberGenerator()
        let code = PaneSecret(&random)
        (self.sockets, self.report) = (sockets, report)
        gate = PaneGate(port: sockets.port, owner: geteuid(), code: code, token: token?.secret, &random)
        address = "http://127.0.0.1:\(sockets.port)/?code=\(code.text)"
    }

    /// Serves until the result is stopped, or the process ends.
    package func start(_ parts: PaneParts) throws(SystemError) -> Running {
        let loop = try EventLoop.start()
        let worker = try Self.thread(parts.work)
        var slow: [LoopBound<[any PaneResource]>] = []
        for make in parts.slow { slow.append(try Self.thread(make)) }
        let (descriptors, gate, others, report) = (sockets.descriptors, gate, slow, report)
        let failure = try loop.perform { () -> SystemError? in
            let dispatcher = PaneDispatcher(gate, worker, others, report, on: loop)
            do throws(SystemError) {
                let server = try HTTPServer(
                    descriptors,
                    on: loop,
                    Self.limits,
                    longestBody: Self.longestBody,
                    readAhead: Self.readAhead,
                    respond: { dispatcher.respond(to: $0, over: $1, $2) }
                )
                // The loop owns the listeners, but not the server.
                dispatcher.server = server
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        return Running(loop: loop, threads: [worker.loop] + slow.map(\.loop))
    }

    package struct Running {
        fileprivate let loop: EventLoop
        fileprivate let threads: [EventLoop]

        /// Closes the sockets and the connections, without waiting for a resource that is busy.
        package func stop() {
            loop.stopAndWait()
            for thread in threads { thread.stop() }
        }
    }

    /// Starts a thread for a value that is made there.
    private static func thread<Value>(
        _ make: @escaping @Sendable () -> Value
    ) throws(SystemError) -> LoopBound<Value> {
        let loop = try EventLoop.start()
        return try loop.perform { LoopBound(make(), on: loop) }
    }
}
