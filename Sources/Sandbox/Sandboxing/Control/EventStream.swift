// SPDX-License-Identifier: Apache-2.0

internal import SocketServing

/// An answer that goes on: the events of a run as lines of JSON, those so far and then each as it comes.
///
/// Used on the connection's event loop only. Nothing is buffered for a client beyond what its socket takes: a slow client
/// reads later from the events that are kept, and its connection is closed when those are gone that it has not read.
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

    /// Sends what is new, as far as the client takes it.
    func advance() {
        guard watcher != nil else { return }
        let isWritable = connection.isWritable
        // For a client that does not read, only whether it is too late.
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

    /// Sends no more: the client has left.
    func stop() {
        if let watcher { events.unwatch(watcher) }
        watcher = nil
    }
}
