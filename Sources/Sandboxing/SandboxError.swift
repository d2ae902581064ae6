// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkConditioning
internal import LinuxSystem
internal import Netlink

/// Why a command could not be wrapped, and what to do about it.
public struct SandboxError: Error, Hashable, Sendable {
    /// What was being done to what, and why it failed.
    public var message: String
    /// What helps; nil if that is not known.
    public var remedy: Remedy?

    /// Makes an error.
    public init(_ message: String, remedy: Remedy? = nil) {
        self.message = message
        self.remedy = remedy
    }

    /// Makes an error of a system call that failed while doing `action`.
    init(_ action: String, code: CInt, remedy: Remedy? = nil) {
        self.init("cannot \(action): \(String(cString: strerror(code)))", remedy: remedy)
    }

    /// Makes an error of a system call that failed.
    init(_ error: SystemError) {
        self.init(error.description)
    }

    /// Makes an error of a failure to apply conditions.
    public init(_ error: ConditioningError) {
        self.init(error.description, remedy: error.remedy)
    }
}

extension SandboxError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

/// Turns a system call's negative result into an error: -1 with errno, or a negative errno.
@discardableResult
func checked(_ result: CInt, _ action: @autoclosure () -> String) throws(SandboxError) -> CInt {
    try onSystem { () throws(SystemError) in try LinuxSystem.checked(result, action()) }
}

/// Runs `body` and converts its error.
func onSystem<Value>(_ body: () throws(SystemError) -> Value) throws(SandboxError) -> Value {
    do {
        return try body()
    } catch {
        throw SandboxError(error)
    }
}

extension RouteConnection {
    /// A connection to the kernel for the network that this process is in.
    static func here() throws(SandboxError) -> RouteConnection {
        do {
            return RouteConnection(try RouteSocket())
        } catch {
            throw SandboxError(ConditioningError(error))
        }
    }

    /// Performs a request.
    func performing(_ request: Request) throws(SandboxError) {
        do {
            try perform(request)
        } catch {
            throw SandboxError(ConditioningError(error))
        }
    }
}
