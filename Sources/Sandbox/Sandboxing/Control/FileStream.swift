// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SocketServing

/// An answer with the present contents of a file: the run's capture, or its events. Used on the connection's event loop
/// only.
final class FileStream: HTTPBody {
    private let descriptor: CInt
    private let connection: HTTPConnection
    private let size: Int
    private var offset = 0
    private let progress: () -> Void

    /// The bytes of one write, and the most that are in memory for a slow client.
    private static let piece = 64 << 10

    /// Prepares an answer with the bytes that `descriptor` has now.
    ///
    /// - Parameter progress: is called whenever the client has taken a piece.
    init(_ descriptor: CInt, _ connection: HTTPConnection, progress: @escaping () -> Void) {
        (self.descriptor, self.connection, self.progress) = (descriptor, connection, progress)
        var facts = stat()
        size = fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
    }

    /// Sends the file, each piece when the one before is written, and then closes the connection.
    func begin() {
        let fields = [
            ("Content-Type", "application/octet-stream"), ("Content-Length", String(size)),
            ("Cache-Control", "no-store"),
        ]
        connection.begin(200, fields, length: size, body: self)
    }

    func advance() {
        progress()
        guard offset < size else { return connection.end() }
        var bytes = [UInt8](repeating: 0, count: min(Self.piece, size - offset))
        let count = pread(descriptor, &bytes, bytes.count, offset)
        // The head has announced the length: if the file was truncated meanwhile, the connection is closed.
        guard count > 0 else { return connection.close() }
        offset += count
        connection.write(bytes[..<count])
    }

    func stop() {}
}
