// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// An engine's stream of container starts. The events' contents are ignored: after any event the containers are listed
/// again, so that nothing depends on a lost one.
package struct EngineEvents {
    /// Readable when a container has started, or the stream has ended.
    package let descriptor: CInt

    /// {"type":["container"],"event":["start"]}
    private static let filter = "%7B%22type%22%3A%5B%22container%22%5D%2C%22event%22%3A%5B%22start%22%5D%7D"

    /// Subscribes at the engine's socket `path`.
    init(at path: String, limit: Int) throws(SystemError) {
        let connection = try UnixConnection(to: path, limit: limit)
        // HTTP/1.0, so that the response is not chunked, as in all requests to an engine.
        connection.send(Array("GET /events?filters=\(Self.filter) HTTP/1.0\r\nHost: linkcond\r\n\r\n".utf8))
        descriptor = connection.descriptor
    }

    /// Discards the pending events, up to a limit, so that an engine that never stops sending cannot block the caller.
    /// Returns false if the stream has ended.
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
