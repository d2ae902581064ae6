// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An answer with the present contents of a file. Used on the connection's event loop only.
package final class FileStream: HTTPBody {
    /// The bytes of one write, and the most that are in memory for a slow client.
    private static let piece = 64 << 10

    private let descriptor: CInt
    private let closesFile: Bool
    private let connection: HTTPConnection
    private let size: Int
    private var offset = 0
    private let progress: () -> Void

    /// Prepares an answer with the bytes that `descriptor` has now.
    ///
    /// - Parameters:
    ///   - closesFile: whether to close `descriptor` in the end.
    ///   - progress: is called whenever the client has taken a piece.
    package init(
        _ descriptor: CInt,
        closesFile: Bool = false,
        _ connection: HTTPConnection,
        progress: @escaping () -> Void
    ) {
        (self.descriptor, self.closesFile, self.connection, self.progress) =
            (descriptor, closesFile, connection, progress)
        var facts = stat()
        size = fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
    }

    deinit {
        if closesFile { Glibc.close(descriptor) }
    }

    /// Sends the file, each piece when the one before is written, and then closes the connection.
    ///
    /// - Parameters:
    ///   - fields: the header's fields besides the length.
    ///   - isHead: whether the request asks for the header only.
    package func begin(_ fields: [(String, String)], isHead: Bool = false) {
        let all = fields + [("Content-Length", String(size))]
        guard !isHead else { return connection.answer(200, all) }
        connection.begin(200, all, length: size, body: self)
    }

    package func advance() {
        progress()
        guard offset < size else { return connection.end() }
        var bytes = [UInt8](repeating: 0, count: min(Self.piece, size - offset))
        let count = pread(descriptor, &bytes, bytes.count, offset)
        // The head has announced the length: if the file was truncated meanwhile, the connection is closed.
        guard count > 0 else { return connection.close() }
        offset += count
        connection.write(bytes[..<count])
    }

    package func stop() {}
}
