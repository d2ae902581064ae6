// SPDX-License-Identifier: Apache-2.0

/// The header fields of an HTTP/2 message whose names are in `names`.
struct HTTP2Head {
    /// The maximum bytes of the fields' values; a longer head is not read.
    private static let longest = 16 << 10
    private static let names = [
        ":method", ":path", ":authority", ":protocol", ":status", "host", "content-type", "idempotency-key",
        "grpc-status", "range", "content-length", "content-range", "accept-ranges",
    ].map { (name: $0, bytes: Array($0.utf8)) }

    private var fields: [String: String] = [:]
    /// The bytes of the values of the fields so far.
    private(set) var length = 0

    /// Whether the head was too long to be kept.
    var isTooLong: Bool { length > Self.longest }

    /// Adds a field; ignores other names, and all but the first field of a name.
    mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let name = Self.names.first(where: { name.elementsEqual($0.bytes) })?.name, fields[name] == nil else {
            return
        }
        length += value.count
        if !isTooLong { fields[name] = String(decoding: value, as: UTF8.self) }
    }

    subscript(name: String) -> String? { fields[name] }

    /// Makes the request that this head starts; nil if it is not a request's head.
    func request(_ packet: ObservedPacket) -> ObservedRequest? {
        let host = self[":authority"] ?? self["host"]
        // CONNECT has no path (RFC 9113, section 8.5).
        guard let method = self[":method"], let target = self[":path"] ?? host else { return nil }
        var request = ObservedRequest(method: method, target: target, packet: packet)
        (request.host, request.idempotencyKey) = (host, self["idempotency-key"])
        request.range = self["range"]
        (request.contentType, request.isExtendedConnect) = (self["content-type"], self[":protocol"] != nil)
        return request
    }

    /// The status of an answer; nil for trailers.
    var status: Int? { self[":status"].flatMap { Int(digits: $0, upTo: 999) }.flatMap { $0 >= 100 ? $0 : nil } }

    /// The status of a gRPC call, from trailers or from an answer without a body; nil if there is none.
    var grpcStatus: Int? { self["grpc-status"].flatMap { Int(digits: $0, upTo: 999) } }
}
