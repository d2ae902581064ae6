// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An error of the kernel for a request, or a failure of the netlink socket.
public struct NetlinkError: Error, Hashable, Sendable {
    /// The operation that failed and its object: "add netem to lc2r1u".
    public let operation: String
    /// The system's error number.
    public let code: CInt
    /// The kernel's message (extended ACK); nil if there is none.
    public let kernelText: String?
    /// The name of the interface that does not exist; nil for other errors.
    package var missingInterface: String?

    /// Makes an error from the operation and the kernel's answer.
    public init(operation: String, code: CInt, kernelText: String? = nil) {
        self.operation = operation
        self.code = code
        self.kernelText = kernelText
    }

    /// The system's description of the error number.
    public var meaning: String { String(cString: strerror(code)) }
}

extension NetlinkError: CustomStringConvertible {
    /// The operation and the kernel's message.
    public var description: String {
        let words = kernelText.map { "\($0) (\(meaning))" } ?? meaning
        return "cannot \(operation): \(words)"
    }
}
