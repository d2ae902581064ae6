// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The response to one HTTP request over a unix socket (RFC 9112). The connection ends with the response. The response
/// is never chunked: the control socket's responses have a length, and HTTP/1.0 has no chunks.
package struct HTTPAnswer {
    /// The version of HTTP in which a request is made.
    package enum Version: String, Sendable {
        /// A response without a length ends with the connection.
        case http10 = "1.0"
        /// A response without a length has no body, since a response that a killed server cut off would look complete.
        case http11 = "1.1"
    }

    package let status: Int
    package let body: [UInt8]
    /// The responding process, by its ID in this PID namespace; nil if it is not visible here, or unknown.
    package private(set) var server: Int32?

    /// The maximum size of a response in bytes.
    private static let longest = 64 << 20

    /// Sends a request with a JSON body to the socket at `path`, and waits for the response.
    ///
    /// - Parameter limit: the time limit for the exchange, in seconds; nil for none.
    package init(
        to method: String,
        _ resource: String,
        _ content: [UInt8] = [],
        at path: String,
        _ version: Version = .http11,
        limit: Int? = nil
    ) throws(SystemError) {
        let connection = try UnixConnection(to: path, limit: limit)
        defer { connection.close() }
        let head = [
            "\(method) \(resource) HTTP/\(version.rawValue)", "Host: linkcond", "Content-Type: application/json",
            "Content-Length: \(content.count)", "Connection: close", "\r\n",
        ]
        // A server that refuses a request may not read all of it; its response has the reason.
        connection.send(Array(head.joined(separator: "\r\n").utf8) + content)
        guard let answer = HTTPAnswer(try connection.readToEnd(longest: Self.longest), version) else {
            throw SystemError(operation: "reach \(path)", code: ECONNRESET)
        }
        self = answer
        server = connection.server
    }

    /// Parses a response; nil if it is incomplete.
    package init?(_ bytes: [UInt8], _ version: Version = .http11) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased().split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, words[0].hasPrefix("http/1."), let status = Int(words[1]) else { return nil }
        let length = lines.first { $0.hasPrefix("content-length:") }?.drop { $0 != ":" }.drop { !$0.isNumber }
        let rest = bytes[end.upperBound...]
        guard length.map({ Int($0) == rest.count }) ?? (version == .http10 || rest.isEmpty) else { return nil }
        body = Array(rest)
        self.status = status
    }
}
