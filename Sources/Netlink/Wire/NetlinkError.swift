// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The kernel's refusal of a request, or a failure to talk to it.
public struct NetlinkError: Error, Hashable, Sendable {
    /// What was being done to what.
    public let operation: String
    /// The system's error number.
    public let code: CInt
    /// The kernel's own words (extended ACK), where it has any.
    public let kernelText: String?

    /// Makes an error from what was tried and the kernel's answer.
    public init(operation: String, code: CInt, kernelText: String? = nil) {
        self.operation = operation
        self.code = code
        self.kernelText = kernelText
    }

    /// The error number's meaning.
    public var meaning: String { String(cString: strerror(code)) }
}

extension NetlinkError: CustomStringConvertible {
    /// What was tried and what the kernel said to it.
    public var description: String {
        let words = kernelText.map { "\($0) (\(meaning))" } ?? meaning
        return "cannot \(operation): \(words)"
    }
}
