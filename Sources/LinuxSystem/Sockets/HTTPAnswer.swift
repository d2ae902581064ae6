// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// The answer to one request of HTTP/1.1 over a unix socket: RFC 9112, as far as the control socket uses it: the
/// answer's body has a length, or there is none.
struct HTTPAnswer {
    let status: Int
    let body: [UInt8]

    /// Sends a request with a body of JSON to the socket at `path`, and waits for the answer.
    init(to method: String, _ resource: String, _ content: [UInt8], at path: String) throws(SystemError) {
        let operation = "reach \(path)"
        let descriptor = try checked(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0), operation)
        defer { close(descriptor) }
        try checked(lc_connect_path(descriptor, path), operation)
        let head = [
            "\(method) \(resource) HTTP/1.1", "Host: linkcond", "Content-Type: application/json",
            "Content-Length: \(content.count)", "Connection: close", "\r\n",
        ]
        var rest = (Array(head.joined(separator: "\r\n").utf8) + content)[...]
        while !rest.isEmpty {
            // A server that refuses a request does not read all of it: its answer tells why.
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 || errno == EINTR else { break }
            rest = rest.dropFirst(max(0, count))
        }
        guard let answer = HTTPAnswer(Descriptors.readToEnd(descriptor)) else {
            throw SystemError(operation: operation, code: ECONNRESET)
        }
        self = answer
    }

    /// Reads an answer; nil for one that is not complete.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased().split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, words[0].hasPrefix("http/1."), let status = Int(words[1]) else { return nil }
        let length = lines.first { $0.hasPrefix("content-length:") }?.drop { $0 != ":" }.drop { !$0.isNumber }
        let rest = bytes[end.upperBound...]
        // Without a length, an answer that a killed server cut off would look whole.
        guard Int(length ?? "0") == rest.count else { return nil }
        body = Array(rest)
        self.status = status
    }
}
