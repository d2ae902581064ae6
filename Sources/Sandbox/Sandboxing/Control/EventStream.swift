// SPDX-License-Identifier: Apache-2.0

internal import SocketServing

/// An answer that streams the events of a run as lines of JSON: the events so far, and then each new one.
///
/// Used on the connection's event loop only. Nothing is buffered beyond the client's socket: a slow client gets later
/// events from `RunEvents`, and its connection is closed when an event that it has not read is dropped there.
final class EventStream: HTTPBody {
    private let events: RunEvents
    private let connection: HTTPConnection
    private var next = 0
    private var watcher: Int?

    /// The size of one write.
    private static let size = 32 << 10

    init(_ events: RunEvents, _ connection: HTTPConnection) {
        (self.events, self.connection) = (events, connection)
    }

    /// Sends the answer's head and the events so far.
    func begin() {
        let stream = LoopBound(self, on: connection.loop)
        watcher = events.watch { [loop = connection.loop] in loop.execute { stream.value.advance() } }
        connection.begin(200, [("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")], body: self)
    }

    /// Sends new events, as far as the client's socket has room.
    func advance() {
        guard watcher != nil else { return }
        let isWritable = connection.isWritable
        // For a client that does not read, check only whether it has lost events.
        switch events.read(from: next, size: isWritable ? Self.size : 0) {
        case .nothing: break
        case .lost: connection.close()
        case .lines(let bytes, let next):
            guard isWritable else { return }
            self.next = next
            connection.write(bytes[...])
        }
    }

    /// Ends the answer.
    func finish() {
        var sent = -1
        while sent < next, connection.isWritable {
            sent = next
            advance()
        }
        stop()
        connection.end(closes: true)
    }

    /// Stops sending, since the client has left.
    func stop() {
        if let watcher { events.unwatch(watcher) }
        watcher = nil
    }
}
