// SPDX-License-Identifier: Apache-2.0

public import ClientObservation
import Glibc
public import LinkConditioning
internal import PacketPump

/// An interface of the host, conditioned while the command runs.
public struct ConditionedInterface: ExecutionEnvironment, RunningEnvironment {
    private var rule: CommandRule
    private let account: Account?
    /// Where to write the packets that the conditions are for, and how; nil for nowhere.
    package var capture: RunCapture?

    /// Describes the environment. Nothing is changed yet.
    ///
    /// - Parameter account: the command's user; nil for the current user.
    public init(_ interface: String, _ request: RuleRequest, account: Account? = nil) throws(SandboxError) {
        self.account = account
        do {
            rule = try CommandRule(request, on: interface)
        } catch {
            throw SandboxError(error)
        }
    }

    /// Applies the conditions.
    public mutating func setUp(
        watching launcher: CInt
    ) throws(SandboxError) -> (running: ConditionedInterface, notes: [String]) {
        rule.capture = try capture?.open(for: account)
        defer { rule.capture?.descriptors.forEach { close($0) } }
        do {
            let notes = try rule.apply()
            return (self, notes)
        } catch {
            throw SandboxError(error)
        }
    }

    /// Empty: `linkcond switch` finds the rule in the kernel.
    public var variables: [(name: String, value: String)] { [] }

    /// False: nothing is mounted.
    public var hasReadOnlySettings: Bool { false }

    /// Does nothing.
    public func serve() {}

    /// Nothing: the interface carries what others send, too.
    public var progress: RunProgress? { nil }

    /// Does nothing.
    public func commandHasEnded(_ end: CommandEnd) -> [String] { [] }

    /// Does nothing.
    public func stopServing() {}

    /// Names the guardian, which ends with the pump.
    public func role(of process: CInt) -> String? {
        process == rule.guardianPID ? "the process that conditions \(rule.interface)" : nil
    }

    /// The guardian, which ends after the conditions are removed.
    public var guardianPID: CInt? { rule.guardianPID }

    /// Removes the conditions, and says if the capture is incomplete.
    public func tearDown() throws(SandboxError) -> [String] {
        do {
            return try rule.remove() + [rule.captureProblem()].compactMap { $0 }
        } catch {
            throw SandboxError(error)
        }
    }

    /// Removes the conditions that a killed supervisor applied.
    public mutating func recover(from supervisor: CInt) throws(SandboxError) {
        do {
            _ = try rule.remove(appliedBy: supervisor)
        } catch {
            throw SandboxError(error)
        }
    }
}
