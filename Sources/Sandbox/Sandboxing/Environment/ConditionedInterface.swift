// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
import Glibc
package import LinkConditioning
package import LinuxSystem
internal import PacketPump

/// An interface of the host, conditioned while the command runs.
package struct ConditionedInterface: ExecutionEnvironment, RunningEnvironment {
    private var rule: CommandRule
    /// The capture of the packets that the conditions apply to; nil for none.
    private let capture: RunCapture?
    package private(set) var notes: [ConditioningNote] = []

    /// Describes the environment. Nothing is changed yet.
    package init(_ interface: String, _ request: RuleRequest, capture: RunCapture?) throws(SandboxError) {
        rule = try onConditions(CommandRule(request, on: interface))
        self.capture = capture
    }

    package mutating func setUp(for account: Account?) throws(SandboxError) -> ConditionedInterface {
        rule.capture = try capture?.open(for: account)
        defer { rule.capture?.descriptors.forEach { close($0) } }
        notes = try onConditions(rule.apply())
        return self
    }

    /// Empty: `linkcond switch` finds the rule in the kernel.
    package var variables: [(name: String, value: String)] { [] }

    /// False: nothing is mounted.
    package var hasReadOnlySettings: Bool { false }

    package func serve(since start: Instant, besides helper: CInt?) {}

    /// False: the command uses this machine's name servers.
    package var followsNameServers: Bool { false }

    package func nameServersHaveChanged(_ lines: [String]) {}

    /// Nil: the interface also carries other processes' packets.
    package var progress: RunProgress? { nil }

    package func commandHasEnded(_ end: CommandEnd) -> [String] { [] }

    package func stopServing() {}

    /// Does nothing: no verdict is made.
    package func roleHasChanged(of process: CInt, _ status: ChildStatus) {}

    package func keepEvidence() {}

    package var forwarders: Set<CInt> { [] }

    /// Does nothing: the conditions drain when they are removed, and the network stays.
    package func drain(_ isInterrupted: () -> Bool) -> String? { nil }

    /// Names the guardian's role; the guardian ends with the pump.
    package func role(of process: CInt) -> String? {
        process == rule.guardianPID ? "the process that conditions \(rule.interface)" : nil
    }

    /// The guardian, which ends after the conditions are removed.
    package var guardianPID: CInt? { rule.guardianPID }

    /// Removes the conditions; returns notes, such as that the capture is incomplete.
    package func tearDown() throws(SandboxError) -> [String] {
        try onConditions(rule.remove() + [rule.captureProblem()].compactMap { $0 })
    }

    /// Removes the conditions that a killed supervisor applied.
    package func recover(from supervisor: CInt) throws(SandboxError) {
        _ = try onConditions(rule.remove(appliedBy: supervisor))
    }
}
