// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinuxSystem

/// Answers requests of HTTP/1.1 over a listening socket, unix(7) or TCP, on an event loop.
package final class HTTPServer {
    package let connections: ServedConnections
    private var listener: StreamListener?

    /// Listens at `descriptor`, which it owns from now on.
    ///
    /// - Parameters:
    ///   - longestBody: the most bytes of a request's body that are kept.
    ///   - admits: whether to serve a connection, by its descriptor.
    ///   - respond: answers a request, at once or later. A connection that waits for its answer still expires, unless it is
    ///     kept.
    package init(
        _ descriptor: CInt,
        on loop: EventLoop,
        _ limits: ServedConnections.Limits,
        longestBody: Int,
        admits: @escaping (CInt) -> Bool = { _ in true },
        respond: @escaping (HTTPRequest, HTTPConnection, ServedConnections) -> Void
    ) throws(SystemError) {
        let connections = ServedConnections(limits, on: loop)
        self.connections = connections
        listener = try StreamListener(descriptor, on: loop) { client in
            guard admits(client) else { return _ = Glibc.close(client) }
            let connection = try? HTTPConnection(
                client,
                on: loop,
                longestBody: longestBody,
                respond: { respond($0, $1, connections) },
                whenClosed: { connections.forget($0) }
            )
            if let connection { connections.renew(connection) }
        }
    }

    /// Closes the socket and the connections. Answers that go on are ended, as far as the kernel accepts that.
    package func close() {
        listener?.close()
        listener = nil
        connections.closeAll()
    }
}
