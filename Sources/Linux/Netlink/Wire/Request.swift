// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A request to the kernel: its bytes and a description for messages.
package struct Request: Hashable, Sendable {
    /// The message with its header; the socket sets sequence number and port.
    package let bytes: [UInt8]
    /// The operation and its object: "add netem to lc2r1u".
    package let operation: String

    init(_ operation: String, bytes: [UInt8]) {
        self.bytes = bytes
        self.operation = operation
    }

    /// Makes a request of `type` with the body that `write` appends.
    init(_ operation: String, type: Int, flags: Int32 = 0, _ write: (Message) -> Void) {
        let message = Message(type: type, flags: NLM_F_REQUEST | flags)
        write(message)
        self.init(operation, bytes: message.bytes)
    }
}
