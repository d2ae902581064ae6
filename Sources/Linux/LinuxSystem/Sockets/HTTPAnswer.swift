// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The answer to one request of HTTP over a unix socket (RFC 9112). The connection ends with it, and its body is never in
/// chunks: the control socket's answers have a length, and a server that is asked in HTTP/1.0 may not use chunks.
package struct HTTPAnswer {
    /// The version of HTTP that a request is made in.
    package enum Version: String, Sendable {
        /// An answer without a length ends with the connection.
        case http10 = "1.0"
        /// An answer without a length has no body: one that a killed server cut off would look whole.
        case http11 = "1.1"
    }

    package let status: Int
    package let body: [UInt8]
    /// The process that answered, by its ID here; nil if it is in a PID namespace that is not visible here, or unknown.
    package private(set) var server: Int32?

    /// The most bytes of an answer that are read.
    private static let longest = 64 << 20

    /// Sends a request with a body of JSON to the socket at `path`, and waits for the answer.
    ///
    /// - Parameter limit: how long all of it may take, in seconds; nil for ever.
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
        // A server that refuses a request does not read all of it: its answer tells why.
        connection.send(Array(head.joined(separator: "\r\n").utf8) + content)
        guard let answer = HTTPAnswer(try connection.readToEnd(longest: Self.longest), version) else {
            throw SystemError(operation: "reach \(path)", code: ECONNRESET)
        }
        self = answer
        server = connection.server
    }

    /// Reads an answer; nil for one that is not complete.
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
