// SPDX-License-Identifier: Apache-2.0

/// An HTTP/1 (RFC 9112) or HTTP/2 (RFC 9113) request, in the clear or in TLS whose keys were logged, and its answer.
package struct ObservedRequest: Hashable, Sendable {
    package var method: String
    /// The target, such as "/search?q=a".
    package var target: String
    /// The value of Host, or in HTTP/2 of :authority, if there is one.
    package var host: String?
    /// The value of Idempotency-Key, if there is one (draft-ietf-httpapi-idempotency-key-header).
    package var idempotencyKey: String?
    /// The value of Content-Type, if there is one.
    package var contentType: String?
    /// The request's body; nil if a part of it was not sent, or not kept.
    package var body: Body?
    /// The packet with the request's first byte.
    package var packet: ObservedPacket
    /// The status of the answer, and the packet with the answer's first byte; both nil if no answer was delivered.
    package var status: Int?
    package var answer: ObservedPacket?
    /// The status of a gRPC call; nil if the answer has none.
    package var grpcStatus: Int?
    /// Whether the request is an extended CONNECT, which starts another protocol on its stream, such as WebSocket (RFC
    /// 8441), and not a tunnel.
    package var isExtendedConnect = false
    /// Whether the server reported that it did not process the request (RFC 9113, section 8.7).
    package var isUnprocessed = false
    /// The time at which the HTTP/2 stream was reset: when the client sent RST_STREAM, or the server's was delivered.
    package var reset: Instant?
    /// Whether the server reset the stream.
    package var isResetByServer = false
    /// Whether an answer, or the rest of one, may have come that could not be read.
    package var mayBeAnswered = false
    /// The value of Range, if there is one.
    package var range: String?
    /// The received part of the answer's body.
    package var received = ReceivedBody()
    /// The packet that completed the answer; nil if the answer's end was not delivered, or is not known.
    package var completed: ObservedPacket?

    /// The hash and length of a body, by which two requests are compared.
    package struct Body: Hashable, Sendable {
        /// The 64-bit FNV-1a hash of the body's bytes.
        private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        /// The body's length in bytes.
        private var length = 0

        package init() {}

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            length += bytes.count
        }
    }

    package init(method: String, target: String, packet: ObservedPacket) {
        (self.method, self.target, self.packet) = (method, target, packet)
    }

    /// Whether a client may repeat the request without asking the user: the method is idempotent (RFC 9110, section
    /// 9.2.2), or the request has an idempotency key.
    package var isSafeToRepeat: Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) || idempotencyKey != nil
    }
}
