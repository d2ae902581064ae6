// SPDX-License-Identifier: Apache-2.0

/// Where metrics are served.
enum MetricsPlace {
    case socket(path: String)
    case address(host: String, port: Int)

    /// Reads "unix:PATH", "HOST:PORT" or ":PORT", which is loopback's.
    init(_ text: String) throws {
        if text.hasPrefix("unix:") {
            self = .socket(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw Failure(.usage, "--metrics \(text) is neither HOST:PORT nor unix:PATH")
        }
        let host = text[..<colon].filter { $0 != "[" && $0 != "]" }
        self = .address(host: host.isEmpty ? "127.0.0.1" : String(host), port: Int(port))
    }
}
