// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A request to the kernel: its bytes and a description for messages.
public struct Request: Hashable, Sendable {
    /// The message with its header; the socket sets sequence number and port.
    public let bytes: [UInt8]
    /// The operation and its object: "add netem to lc2r1u".
    public let operation: String

    /// Makes a request of encoded bytes.
    init(_ operation: String, bytes: [UInt8]) {
        self.bytes = bytes
        self.operation = operation
    }

    /// Makes a request of `type` with the body that `write` appends.
    init(_ operation: String, type: Int, flags: Int32 = 0, _ write: (Message) -> Void) {
        let message = Message(type: type, flags: NLM_F_REQUEST | flags)
        write(message)
        bytes = message.bytes
        self.operation = operation
    }
}

/// One message of the kernel's answer.
struct Reply {
    /// The type, such as RTM_NEWQDISC.
    let type: Int
    /// The body after netlink's header.
    let body: ArraySlice<UInt8>
}
