// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkConditioning

/// One of the host's interfaces, conditioned as long as the command runs.
public struct ConditionedInterface: ExecutionEnvironment {
    private var rule: CommandRule

    /// Describes it; nothing is changed yet.
    public init(_ interface: String, _ request: RuleRequest) throws(SandboxError) {
        do {
            rule = try CommandRule(request, on: interface)
        } catch {
            throw SandboxError(error)
        }
    }

    /// Puts the conditions on.
    public mutating func setUp(watching launcher: CInt) throws(SandboxError) -> [String] {
        do {
            return try rule.apply()
        } catch {
            throw SandboxError(error)
        }
    }

    /// None: `linkcond switch` finds the rule in the kernel.
    public var environment: [(name: String, value: String)] { [] }

    /// Does nothing.
    public mutating func serve() {}

    /// Names the process that ends when what carries the conditions does.
    public func role(of process: CInt) -> String? {
        process == rule.guardianPID ? "what carries the conditions of \(rule.interface)" : nil
    }

    /// The guardian ends by itself, once the conditions are off.
    public var guardianPID: CInt? { rule.guardianPID }

    /// Takes the conditions off.
    public mutating func tearDown() throws(SandboxError) -> [String] {
        do {
            return try rule.remove()
        } catch {
            throw SandboxError(error)
        }
    }

    /// Takes off what a supervisor that was killed put on.
    public mutating func recover(from supervisor: CInt) throws(SandboxError) {
        do {
            _ = try rule.remove(appliedBy: supervisor)
        } catch {
            throw SandboxError(error)
        }
    }
}
