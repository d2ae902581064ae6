// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// One request to the kernel: its bytes, and in words what it does.
public struct Request: Hashable, Sendable {
    /// The message with its header; the socket fills in sequence and port.
    public let bytes: [UInt8]
    /// What the request does to what: "add netem to lc2r1u".
    public let operation: String

    /// A request that is written already.
    init(_ operation: String, bytes: [UInt8]) {
        self.bytes = bytes
        self.operation = operation
    }

    /// Writes a request of `type` whose body `write` appends.
    init(_ operation: String, type: Int, flags: Int32 = 0, _ write: (Message) -> Void) {
        let message = Message(type: type, flags: NLM_F_REQUEST | flags)
        write(message)
        bytes = message.bytes
        self.operation = operation
    }
}

/// One message of the kernel's answer.
struct Reply {
    /// The message's type, RTM_NEWQDISC for example.
    let type: Int
    /// The body behind netlink's header.
    let body: ArraySlice<UInt8>
}
