// SPDX-License-Identifier: Apache-2.0

import CNghttp2

/// One side of HTTP/2, whose header blocks nghttp2 makes.
final class HTTP2Speaker {
    private var deflater: OpaquePointer?

    init() { nghttp2_hd_deflate_new(&deflater, 4096) }
    deinit { nghttp2_hd_deflate_del(deflater) }

    static func frame(_ type: UInt8, _ flags: UInt8 = 0, _ stream: UInt32 = 0, _ content: [UInt8] = []) -> [UInt8] {
        let length = content.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags] + long(stream)
            + content
    }

    static func long(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

    static let settings = frame(4)

    func block(_ fields: [(String, String)]) -> [UInt8] {
        var memory: [UnsafeMutablePointer<UInt8>] = []
        defer { for one in memory { one.deallocate() } }
        func copy(_ text: String) -> (UnsafeMutablePointer<UInt8>, Int) {
            let bytes = Array(text.utf8)
            let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 1)
            copy.initialize(from: bytes, count: bytes.count)
            memory.append(copy)
            return (copy, bytes.count)
        }
        let pairs = fields.map { field in
            let (name, value) = (copy(field.0), copy(field.1))
            return nghttp2_nv(name: name.0, value: value.0, namelen: name.1, valuelen: value.1, flags: 0)
        }
        var block = [UInt8](repeating: 0, count: nghttp2_hd_deflate_bound(deflater, pairs, pairs.count))
        let count = nghttp2_hd_deflate_hd(deflater, &block, block.count, pairs, pairs.count)
        return Array(block.prefix(max(count, 0)))
    }

    /// HEADERS with END_HEADERS.
    func headers(_ stream: UInt32, _ fields: [(String, String)], ends: Bool = true) -> [UInt8] {
        Self.frame(1, ends ? 5 : 4, stream, block(fields))
    }

    func request(
        _ stream: UInt32,
        _ method: String = "GET",
        _ path: String = "/a",
        more: [(String, String)] = [],
        ends: Bool = true
    ) -> [UInt8] {
        let fields = [(":method", method), (":scheme", "https"), (":path", path), (":authority", "api.test:443")]
        return headers(stream, fields + more, ends: ends)
    }

    func answer(_ stream: UInt32, _ status: Int = 200, ends: Bool = true) -> [UInt8] {
        headers(stream, [(":status", "\(status)"), ("server", "test")], ends: ends)
    }

    static func data(_ stream: UInt32, _ text: String, ends: Bool = true) -> [UInt8] {
        frame(0, ends ? 1 : 0, stream, Array(text.utf8))
    }

    static func reset(_ stream: UInt32, _ code: UInt32) -> [UInt8] { frame(3, 0, stream, long(code)) }

    static func goAway(_ last: UInt32) -> [UInt8] { frame(7, 0, 0, long(last) + long(0)) }
}
