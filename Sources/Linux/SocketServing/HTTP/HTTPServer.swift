// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinuxSystem

/// An HTTP/1.1 server on listening sockets, unix(7) or TCP, on an event loop.
package final class HTTPServer {
    package let connections: ServedConnections
    private var listeners: [StreamListener] = []

    /// Listens at `descriptor`, of which it takes ownership.
    package convenience init(
        _ descriptor: CInt,
        on loop: EventLoop,
        _ limits: ServedConnections.Limits,
        longestBody: Int,
        admits: @escaping (CInt) -> Bool = { _ in true },
        respond: @escaping (HTTPRequest, HTTPConnection, ServedConnections) -> Void
    ) throws(SystemError) {
        try self.init([descriptor], on: loop, limits, longestBody: longestBody, admits: admits, respond: respond)
    }

    /// Listens at `descriptors`, of which it takes ownership; the limits count the connections of all.
    ///
    /// - Parameters:
    ///   - longestBody: the maximum number of bytes of a request's body that are kept.
    ///   - readAhead: the number of bytes that a client may send while its request waits for the response.
    ///   - admits: whether to serve a connection, by its descriptor.
    ///   - respond: responds to a request, at once or later. A connection that waits for its response still expires,
    ///     unless `ServedConnections.keep` was called for it.
    package init(
        _ descriptors: [CInt],
        on loop: EventLoop,
        _ limits: ServedConnections.Limits,
        longestBody: Int,
        readAhead: Int = 64 << 10,
        admits: @escaping (CInt) -> Bool = { _ in true },
        respond: @escaping (HTTPRequest, HTTPConnection, ServedConnections) -> Void
    ) throws(SystemError) {
        let connections = ServedConnections(limits, on: loop)
        self.connections = connections
        for descriptor in descriptors {
            let listener = try StreamListener(descriptor, on: loop) { client in
                guard admits(client) else { return _ = Glibc.close(client) }
                let connection = try? HTTPConnection(
                    client,
                    on: loop,
                    longestBody: longestBody,
                    readAhead: readAhead,
                    respond: { respond($0, $1, connections) },
                    whenClosed: { connections.forget($0) }
                )
                if let connection { connections.renew(connection) }
            }
            listeners.append(listener)
        }
    }

    /// Closes the sockets and the connections. Unfinished responses are ended, as far as the kernel accepts the bytes at
    /// once.
    package func close() {
        for listener in listeners { listener.close() }
        listeners = []
        connections.closeAll()
    }
}
