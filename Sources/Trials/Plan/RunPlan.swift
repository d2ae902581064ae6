// SPDX-License-Identifier: Apache-2.0

package import ClientObservation
package import LinkConditioning
package import ProfileCatalog
package import Sandboxing

/// What one run is to do: a value that cannot contradict itself.
package enum RunPlan: Sendable {
    /// On an interface of the host, which has the conditions for as long as the command runs.
    case interface(String, RuleRequest, CommandPlan, RunExtras)
    /// In a private network. Tests inside may ask for its packets, unless they are captured or the command's children kept.
    case sandbox(SandboxPlan, RunExtras)
    /// In a private network, with verdicts on what the client did.
    case observed(ObservedPlan)
}

/// A command, and the options of its run.
package struct CommandPlan: Sendable {
    /// Program and arguments as bytes, since they need not be valid text.
    package var arguments: [[UInt8]]
    /// The user to run it as; nil keeps the current user.
    package var account: Account?
    /// The time limit; nil means none.
    package var timeout: Duration?
    /// Makes a monitor in the command's network, which adds its verdicts to the events of the run that are appended to the
    /// descriptor, if there is one; nil for none.
    package var monitor: @Sendable (_ events: CInt?) -> MonitorTask?

    package init(
        _ arguments: [[UInt8]],
        account: Account?,
        timeout: Duration?,
        monitor: @escaping @Sendable (_ events: CInt?) -> MonitorTask?
    ) {
        (self.arguments, self.account, self.timeout, self.monitor) = (arguments, account, timeout, monitor)
    }

    /// The arguments as text.
    package var words: [String] { arguments.map { String(decoding: $0, as: UTF8.self) } }
}

/// What an observed run cannot have.
package struct RunExtras: Sendable {
    /// Where to write the packets; nil for nowhere.
    package var capture: CapturePlan?
    /// Whether processes that the command leaves running are kept.
    package var keepsChildren: Bool

    package init(capture: CapturePlan?, keepsChildren: Bool) {
        (self.capture, self.keepsChildren) = (capture, keepsChildren)
    }
}

/// A file of packets.
package struct CapturePlan: Sendable {
    package var path: String
    /// How many bytes of each packet are kept; nil for all, on a fast link only headers.
    package var snapLength: Int?

    package init(path: String, snapLength: Int?) { (self.path, self.snapLength) = (path, snapLength) }
}

/// The conditions of a private network, which a scenario may change.
package struct RunConditions: Sendable {
    /// What holds from the start, with the engine and the seed that the user named.
    package var request: RuleRequest
    /// What changes it while the command runs; nil for nothing.
    package var steps: SandboxScenario?
    /// The name of the scenario; nil for none.
    package var scenario: String?

    package init(_ request: RuleRequest, _ steps: SandboxScenario? = nil, scenario: String? = nil) {
        (self.request, self.steps, self.scenario) = (request, steps, scenario)
    }
}

/// A private network around a command.
package struct SandboxPlan: Sendable {
    package var command: CommandPlan
    /// Nil for none until a switch.
    package var conditions: RunConditions?
    /// The engine that the user named; nil to choose one.
    package var engine: Engine?
    /// The program for the uplink; nil for a sandbox that is offline.
    package var uplink: UplinkProgram?
    /// The services of the host's loopback to relay.
    package var hostPorts: HostPortChoice
    /// The path of the packet log; nil for none.
    package var log: String?
    /// The profiles that the control socket finds by name.
    package var catalog: Catalog

    package init(
        _ command: CommandPlan,
        _ conditions: RunConditions?,
        engine: Engine?,
        uplink: UplinkProgram?,
        hostPorts: HostPortChoice,
        log: String?,
        catalog: Catalog
    ) {
        (self.command, self.conditions, self.engine) = (command, conditions, engine)
        (self.uplink, self.hostPorts, self.log, self.catalog) = (uplink, hostPorts, log, catalog)
    }
}

/// A run whose packets are observed on the userspace engine.
package struct ObservedPlan: Sendable {
    /// Where the packets are kept.
    package enum Evidence: Sendable {
        /// Nowhere: they are deleted after the verdicts.
        case unnamed
        /// In the directory of a report.
        case report(String)
        /// In a file that the user named.
        case capture(CapturePlan)
    }

    package var sandbox: SandboxPlan
    package var expectations: [ClientExpectation]
    package var evidence: Evidence
    /// Whether an expectation without an answer is a failure.
    package var isStrict: Bool
    /// The options that make the same plan, but for its seed, as a user types them.
    package var options: [String]
    /// The version of linkcond.
    package var version: String

    package init(
        _ sandbox: SandboxPlan,
        _ expectations: [ClientExpectation],
        _ evidence: Evidence,
        isStrict: Bool,
        options: [String],
        version: String
    ) {
        (self.sandbox, self.expectations, self.evidence) = (sandbox, expectations, evidence)
        (self.isStrict, self.options, self.version) = (isStrict, options, version)
    }

    /// The same plan with another seed, and with a report in a directory of its own; nil for none.
    package func varied(seed: UInt64?, report: String?) -> ObservedPlan {
        var plan = self
        plan.sandbox.conditions?.request.seed = seed
        plan.evidence = report.map { .report($0) } ?? .unnamed
        plan.options += report.map { ["--report", $0] } ?? []
        return plan
    }

    /// The command line that repeats the run.
    func repetition(seed: UInt64) -> [String] {
        ["linkcond", "run"] + options + ["--seed", "\(seed)", "--"] + sandbox.command.words
    }
}
