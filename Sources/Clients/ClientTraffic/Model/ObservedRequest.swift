// SPDX-License-Identifier: Apache-2.0

/// A request of HTTP/1 (RFC 9112) or HTTP/2 (RFC 9113), in the clear or in TLS whose keys were logged, and what came back.
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
    /// The request's body; nil if not all of it was sent, or kept.
    package var body: Body?
    /// The packet that its first byte was in.
    package var packet: ObservedPacket
    /// The status of the answer, and the packet that brought its first byte; nil if none was delivered.
    package var status: Int?
    package var answer: ObservedPacket?
    /// The status of a gRPC call, if its answer has one.
    package var grpcStatus: Int?
    /// Whether it begins another protocol on its stream, as WebSocket (RFC 8441), and no tunnel.
    package var isExtendedConnect = false
    /// Whether the server has said that it did not process it (RFC 9113, section 8.7).
    package var isUnprocessed = false
    /// The time at which its stream of HTTP/2 was reset: by the client, or for it by the server.
    package var reset: Instant?
    /// Whether the server reset it.
    package var isResetByServer = false
    /// Whether an answer may have come, or the rest of one, that could not be read.
    package var mayBeAnswered = false
    /// The value of Range, if there is one.
    package var range: String?
    /// The received part of the answer's body.
    package var received = ReceivedBody()
    /// The packet that completed the answer; nil if its end was not delivered, or cannot be told.
    package var completed: ObservedPacket?

    /// A body, by which two requests are told apart.
    package struct Body: Hashable, Sendable {
        /// FNV-1a of its bytes, 64 bits wide.
        private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        /// Its length in bytes.
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

    /// Whether a client may repeat it without asking: the idempotent methods of RFC 9110, section 9.2.2.
    package var isSafeToRepeat: Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) || idempotencyKey != nil
    }
}
