// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A system call that the kernel refused.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed operation with its object: "write /run/linkcond/4026531840-2.entry".
    package let operation: String
    package let code: CInt

    package init(operation: String, code: CInt) {
        self.operation = operation
        self.code = code
    }

    /// The operation and the kernel's reason.
    package var description: String { "cannot \(operation): \(String(cString: strerror(code)))" }
}

/// Turns a system call's negative result into an error: -1 with errno, or a negative errno.
@discardableResult
package func checked(_ result: CInt, _ operation: @autoclosure () -> String) throws(SystemError) -> CInt {
    guard result < 0 else { return result }
    throw SystemError(operation: operation(), code: result == -1 ? errno : -result)
}
