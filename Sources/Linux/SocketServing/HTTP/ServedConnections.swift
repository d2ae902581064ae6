// SPDX-License-Identifier: Apache-2.0

/// The open connections of a server. Their limits keep clients from using up the descriptors of the process and from
/// blocking other clients. Used on the server's event loop only.
package final class ServedConnections {
    /// The limits for clients.
    package struct Limits: Sendable {
        /// The maximum number of connections; a further one closes the connection that has waited longest since its
        /// last response.
        package var connections: Int
        /// The maximum time from a connection's start, or from its last response, to the end of its next request.
        package var idle: Duration

        package init(connections: Int, idle: Duration) { (self.connections, self.idle) = (connections, idle) }
    }

    private let limits: Limits
    private let loop: EventLoop

    private struct Served {
        let connection: HTTPConnection
        let expiry: LoopTimer?
        /// The closure that ends an unfinished answer.
        var finish: (() -> Void)?
    }

    /// The open connections in the order of their last responses, the oldest first.
    private var open: [Served] = []

    init(_ limits: Limits, on loop: EventLoop) { (self.limits, self.loop) = (limits, loop) }

    /// Adds a connection, or records that it got a response; restarts its expiry timer.
    package func renew(_ connection: HTTPConnection) {
        forget(connection)
        guard connection.isOpen else { return }
        while open.count >= limits.connections { close(open[0]) }
        let expiry = loop.schedule(after: limits.idle) { connection.close() }
        open.append(Served(connection: connection, expiry: expiry))
    }

    /// Records that a connection waits for its response, or has an unfinished one, which `finish` ends: the connection
    /// does not expire.
    package func keep(_ connection: HTTPConnection, finish: (() -> Void)? = nil) {
        forget(connection)
        guard connection.isOpen else { return }
        open.append(Served(connection: connection, expiry: nil, finish: finish))
    }

    /// Removes a connection that is closed.
    func forget(_ connection: HTTPConnection) {
        guard let index = open.firstIndex(where: { $0.connection === connection }) else { return }
        open.remove(at: index).expiry?.cancel()
    }

    func closeAll() {
        while let last = open.last { close(last) }
    }

    private func close(_ served: Served) {
        served.finish?()
        // Closing it ends the connection's expiry, too.
        served.connection.close()
        forget(served.connection)
    }
}
