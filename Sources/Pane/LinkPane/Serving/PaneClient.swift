// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import SocketServing

/// A connection that waits for its response.
struct PaneClient {
    let connection: HTTPConnection
    private let connections: ServedConnections

    init(_ connection: HTTPConnection, _ connections: ServedConnections) {
        (self.connection, self.connections) = (connection, connections)
    }

    /// Lets the connection wait longer than it may be idle.
    func keep() { connections.keep(connection) }

    /// The user at the other end, which is looked up once a connection; nil if it is not known.
    var user: UInt32? {
        if connection.user == nil { connection.user = connection.descriptor.flatMap { LocalPeer.user(of: $0) } }
        return connection.user
    }

    /// Sends a file, and closes it.
    func send(_ file: CInt, _ fields: [(String, String)], isHead: Bool) {
        // Renewed with each piece: a client that reads nothing for as long as a connection may be idle is dropped.
        let stream = FileStream(file, closesFile: true, connection) { [connections, connection] in
            connections.renew(connection)
        }
        connections.renew(connection)
        stream.begin(fields, isHead: isHead)
    }

    func send(_ reply: PaneReply) {
        // The client may have closed the connection meanwhile.
        guard connection.isOpen else { return }
        connections.renew(connection)
        reply.send(over: connection)
    }
}
