// SPDX-License-Identifier: Apache-2.0

/// A request of HTTP/1 in the clear (RFC 9112), and what came back.
package struct HTTPRequest: Hashable, Sendable {
    /// The method, such as "GET".
    package var method: String
    /// The target, such as "/search?q=a".
    package var target: String
    /// The value of Host, if there is one.
    package var host: String?
    /// The value of Idempotency-Key, if there is one (draft-ietf-httpapi-idempotency-key-header).
    package var idempotencyKey: String?
    /// The packet that its first byte was in.
    package var packet: ObservedPacket
    /// The status of the answer, and the packet that brought its first byte; nil if none was delivered.
    package var status: Int?
    /// The packet that brought the first byte of the answer.
    package var answer: ObservedPacket?
    /// The packet that completed the answer; nil if its end was not delivered, or cannot be told.
    package var completed: ObservedPacket?

    package init(method: String, target: String, packet: ObservedPacket) {
        (self.method, self.target, self.packet) = (method, target, packet)
    }

    /// Whether a client may repeat it without asking: the idempotent methods of RFC 9110, section 9.2.2.
    package var isSafeToRepeat: Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) || idempotencyKey != nil
    }
}
