// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import SocketServing
import Synchronization
import TestKit

/// A control socket that gives prepared answers.
final class ScriptedSupervisor: Sendable {
    /// The answers, by method and path; 404 for others.
    final class Script: Sendable {
        private let answers = Mutex<[String: (status: Int, body: String)]>([:])

        subscript(_ request: String) -> (status: Int, body: String) {
            get { answers.withLock { $0[request] } ?? (404, "{}") }
            set { answers.withLock { $0[request] = newValue } }
        }

        /// Answers every request with this.
        func failAll(_ status: Int, _ body: String) {
            answers.withLock { answers in
                for request in answers.keys { answers[request] = (status, body) }
            }
        }
    }

    let path: String
    let script = Script()
    private let loop: EventLoop
    private let server: LoopBound<HTTPServer?>

    /// - Parameter files: the directory of the socket.
    init(in files: TemporaryDirectory) throws {
        path = "\(files.path)/control"
        let (loop, script) = (try EventLoop.start(), script)
        self.loop = loop
        let descriptor = try ListeningSocket.bound(to: path)
        try checked(listen(descriptor, 128), "listen at \(path)")
        server = try loop.perform {
            let limits = ServedConnections.Limits(connections: 16, idle: .seconds(10))
            let server = try? HTTPServer(descriptor, on: loop, limits, longestBody: 1 << 20) { request, connection, _ in
                let (status, text) = script["\(request.method) \(request.path)"]
                let body = Array(text.utf8)
                let fields = [("Content-Type", "application/json"), ("Content-Length", "\(body.count)")]
                connection.answer(status, fields, body: body)
            }
            return LoopBound(server, on: loop)
        }
    }

    /// Ends, as a supervisor does at the end of its run.
    func end() {
        unlink(path)
        server.execute { $0?.close() }
        loop.stop()
    }
}
