// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinkConditioning
internal import LinuxSystem
internal import Netlink

/// The reason why a command could not be wrapped, and what to do about it.
package struct SandboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed operation with its object, and the reason.
    package var message: String
    /// A remedy; nil if none is known.
    package var remedy: Remedy?

    package var description: String { message }

    package init(_ message: String, remedy: Remedy? = nil) {
        self.message = message
        self.remedy = remedy
    }

    /// Makes an error of a system call that failed while doing `action`.
    init(_ action: String, code: CInt, remedy: Remedy? = nil) {
        self.init("cannot \(action): \(String(cString: strerror(code)))", remedy: remedy)
    }

    init(_ error: SystemError) { self.init(error.description) }

    init(_ error: ConditioningError) { self.init(error.description, remedy: error.remedy) }
}

/// Turns a system call's negative result into an error: -1 with errno, or a negative errno.
@discardableResult
func checked(_ result: CInt, _ action: @autoclosure () -> String) throws(SandboxError) -> CInt {
    try onSystem(LinuxSystem.checked(result, action()))
}

/// Converts the error of a system call.
@discardableResult
func onSystem<Value>(_ value: @autoclosure () throws(SystemError) -> Value) throws(SandboxError) -> Value {
    do {
        return try value()
    } catch {
        throw SandboxError(error)
    }
}

/// Converts the error of a failure to apply conditions.
func onConditions<Value>(_ value: @autoclosure () throws(ConditioningError) -> Value) throws(SandboxError) -> Value {
    do {
        return try value()
    } catch {
        throw SandboxError(error)
    }
}

extension RouteConnection {
    /// A connection to the kernel for the network that this process is in.
    static func here() throws(SandboxError) -> RouteConnection { try onConditions(.current()) }

    func performing(_ request: Request) throws(SandboxError) {
        do {
            try perform(request)
        } catch {
            throw SandboxError(ConditioningError(error))
        }
    }
}
