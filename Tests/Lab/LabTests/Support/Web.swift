// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A small web server, and what a client measures of it.
enum Web {
    /// The shell command for a server at port 80 that prints "ready": GET /N is answered with N bytes, the body of
    /// PUT /N with one.
    static let line = Script("web-server.py").line()

    /// One request over a connection of its own; milliseconds.
    struct Request: Decodable {
        /// Until the connection was established.
        let connect: Double
        /// From then until the first byte of the answer.
        let firstByte: Double
        /// From then until its last one.
        let rest: Double
        /// The bytes after the first ones.
        let bytes: Double
    }

    /// The shell command for a client that sends `count` requests.
    static func client(_ address: String, _ method: String, bytes: Int, count: Int = 1) -> String {
        Script("web-client.py").line([address, method, String(bytes), String(count)])
    }
}
