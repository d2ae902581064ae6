// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The open connections of a server. Clients cannot hold more descriptors of its process than the limits allow, nor keep
/// others from being served. Used on the server's event loop only.
package final class ServedConnections {
    /// What clients may use.
    package struct Limits: Sendable {
        /// The number of connections; one more ends the one that has waited longest since its last answer.
        package var connections: Int
        /// The time from a connection's start, or from its last answer, to the end of its next request.
        package var idle: TimeAmount

        package init(connections: Int, idle: TimeAmount) {
            (self.connections, self.idle) = (connections, idle)
        }
    }

    private let limits: Limits

    private struct Connection {
        let channel: any Channel
        let expiry: Scheduled<Void>?
        var stream: EventStream?
    }

    /// In the order of their last answers, the oldest first.
    private var open: [Connection] = []

    package init(_ limits: Limits) { self.limits = limits }

    /// Adds a connection, or records that it was answered.
    package func renew(_ channel: any Channel) {
        forget(channel)
        while open.count >= limits.connections { close(open.removeFirst()) }
        let expiry = channel.eventLoop.scheduleTask(in: limits.idle) { channel.close(promise: nil) }
        open.append(Connection(channel: channel, expiry: expiry))
    }

    /// Records that a connection waits for its answer, or has one that goes on: it does not expire.
    func keep(_ channel: any Channel, for stream: EventStream? = nil) {
        forget(channel)
        open.append(Connection(channel: channel, expiry: nil, stream: stream))
    }

    /// Removes a connection that is closed.
    package func forget(_ channel: any Channel) {
        guard let index = open.firstIndex(where: { $0.channel === channel }) else { return }
        open.remove(at: index).expiry?.cancel()
    }

    func closeAll() {
        while let connection = open.popLast() { close(connection) }
    }

    private func close(_ connection: Connection) {
        connection.expiry?.cancel()
        connection.stream?.finish()
        connection.channel.close(promise: nil)
    }
}
