// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
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

    /// Sends a request with a body of JSON to the socket at `path`, and waits for the answer.
    ///
    /// - Parameter patience: how long the server may be silent, in seconds; nil for ever.
    package init(
        to method: String,
        _ resource: String,
        _ content: [UInt8] = [],
        at path: String,
        _ version: Version = .http11,
        patience: Int? = nil
    ) throws(SystemError) {
        let operation = "reach \(path)"
        let descriptor = try checked(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0), operation)
        defer { close(descriptor) }
        if let patience {
            var time = timeval(tv_sec: patience, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                try checked(setsockopt(descriptor, SOL_SOCKET, option, &time, size), operation)
            }
        }
        try checked(lc_connect_path(descriptor, path), operation)
        let head = [
            "\(method) \(resource) HTTP/\(version.rawValue)", "Host: linkcond", "Content-Type: application/json",
            "Content-Length: \(content.count)", "Connection: close", "\r\n",
        ]
        var rest = (Array(head.joined(separator: "\r\n").utf8) + content)[...]
        while !rest.isEmpty {
            // A server that refuses a request does not read all of it: its answer tells why.
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 || errno == EINTR else { break }
            rest = rest.dropFirst(max(0, count))
        }
        errno = 0
        let bytes = Descriptors.readToEnd(descriptor)
        guard errno != EAGAIN else { throw SystemError(operation: operation, code: ETIMEDOUT) }
        guard let answer = HTTPAnswer(bytes, version) else {
            throw SystemError(operation: operation, code: ECONNRESET)
        }
        self = answer
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
