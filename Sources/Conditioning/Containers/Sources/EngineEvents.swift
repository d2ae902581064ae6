// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// An engine's stream of containers that start. What it says does not matter, and that it says something does: the
/// containers are then listed again, so that nothing depends on an event that got lost.
package struct EngineEvents {
    /// Readable when a container has started, or the stream has ended.
    package let descriptor: CInt

    /// {"type":["container"],"event":["start"]}
    private static let filter = "%7B%22type%22%3A%5B%22container%22%5D%2C%22event%22%3A%5B%22start%22%5D%7D"

    /// Asks the engine at the socket `path`.
    init(at path: String, limit: Int) throws(SystemError) {
        let connection = try UnixConnection(to: path, limit: limit)
        // Without chunks, as in every request to an engine.
        connection.send(Array("GET /events?filters=\(Self.filter) HTTP/1.0\r\nHost: linkcond\r\n\r\n".utf8))
        descriptor = connection.descriptor
    }

    /// Reads what has arrived, up to a limit: an engine that never stops must not keep the caller. False if the stream has
    /// ended.
    package func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16384)
        for _ in 0..<Self.maximumReads {
            let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 && errno == EAGAIN }
        }
        return true
    }

    private static let maximumReads = 16

    package func close() { Glibc.close(descriptor) }
}
