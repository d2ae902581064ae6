// SPDX-License-Identifier: Apache-2.0

internal import SocketServing

/// Forwards bytes, end of stream and failure between two connections, both ways.
///
/// A connection is not read while the other cannot be written.
final class ConnectionRelay: StreamReceiver {
    private var client: StreamConnection?
    private var host: StreamConnection?

    /// Forwards between the connections of two descriptors, which it owns from now on. The loop keeps it until both are
    /// closed.
    init(client: CInt, host: CInt, on loop: EventLoop) {
        self.host = try? StreamConnection(host, on: loop, receiver: self)
        self.client = try? StreamConnection(client, on: loop, receiver: self)
        // Without one of them, the client is refused.
        guard let client = self.client, let host = self.host else {
            self.client?.reset()
            self.host?.reset()
            return
        }
        (client.isReading, host.isReading) = (true, true)
    }

    func receive(_ bytes: UnsafeRawBufferPointer, from connection: StreamConnection) {
        guard let other = partner(of: connection) else { return }
        other.write(bytes)
        if !other.isWritable { connection.isReading = false }
    }

    func inputHasEnded(of connection: StreamConnection) { partner(of: connection)?.endOutput() }

    func outputHasDrained(of connection: StreamConnection) { partner(of: connection)?.isReading = true }

    func hasClosed(_ connection: StreamConnection, error: CInt?) {
        let other = partner(of: connection)
        if connection === client { client = nil } else { host = nil }
        // A connection that ended in both directions was not reset.
        if error != nil { other?.reset() }
    }

    private func partner(of connection: StreamConnection) -> StreamConnection? {
        connection === client ? host : client
    }
}
