// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinuxSystem

/// An HTTP/1.1 server on a listening socket, unix(7) or TCP, on an event loop.
package final class HTTPServer {
    package let connections: ServedConnections
    private var listener: StreamListener?

    /// Listens at `descriptor`, of which it takes ownership.
    ///
    /// - Parameters:
    ///   - longestBody: the maximum number of bytes of a request's body that are kept.
    ///   - admits: whether to serve a connection, by its descriptor.
    ///   - respond: responds to a request, at once or later. A connection that waits for its response still expires,
    ///     unless `ServedConnections.keep` was called for it.
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

    /// Closes the socket and the connections. Unfinished responses are ended, as far as the kernel accepts the bytes at
    /// once.
    package func close() {
        listener?.close()
        listener = nil
        connections.closeAll()
    }
}
