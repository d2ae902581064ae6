// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
package import ClientVerdicts
package import LinkConditioning
internal import LinuxSystem
package import Reports
package import Sandboxing

/// The plan of one run.
package enum RunPlan: Sendable {
    /// On an interface of the host, which has the conditions while the command runs. Its packets may be captured.
    case interface(String, RuleRequest, WrappedCommand, capture: RunCapture?)
    /// In a private network. Tests inside may request verdicts, unless the packets are captured or the command's
    /// children kept.
    case sandbox(Sandbox, WrappedCommand)
    /// In a private network, with verdicts on what the client did.
    case observed(ObservedPlan)

    package var command: WrappedCommand {
        switch self {
        case .interface(_, _, let command, _), .sandbox(_, let command): command
        case .observed(let plan): plan.command
        }
    }

    /// Runs the command; returns how it ended, and an observed run's files and packets.
    package func run(_ listener: Supervision.Listener) throws -> (end: CommandEnd, observed: ObservedRun?) {
        var listener = listener
        switch self {
        case .interface(let name, let request, let command, let capture):
            let environment = try ConditionedInterface(name, request, capture: capture)
            return (try Supervision.run(command, in: environment, listener), nil)
        case .sandbox(var sandbox, let command):
            if sandbox.capture == nil, !command.keepsChildren {
                // Tests inside may request verdicts later. If the files for that cannot be made, these requests are
                // refused.
                sandbox.observation = .atRequest
                if let files = try? ObservationFiles(), let follower = try? RunFollower(files, started: .now) {
                    sandbox.keep(in: files, readBy: follower)
                    listener.started = { follower.start() }
                }
                // TLS keys are kept only in a capture that the user asked for.
                sandbox.capture?.keyLog = nil
            }
            sandbox.isWatched = listener.progress != nil
            sandbox.command = command.words
            return (try Supervision.run(command, in: sandbox, listener), nil)
        case .observed(let plan):
            let run = try ObservedRun(plan)
            var (sandbox, command) = (run.plan.sandbox, run.plan.command)
            sandbox.keep(in: run.files, readBy: run.follower)
            sandbox.isFollowed = plan.failsFast
            sandbox.command = command.words
            sandbox.expectations = plan.expectations.map(\.description)
            sandbox.report = run.reportPath
            listener.started = { run.follower.start() }
            listener.ending = run.follower.ending.descriptor
            let request = plan.sandbox.conditions?.request
            sandbox.observation = .fromStart(insteadOf: request?.engine == nil ? request : nil)
            sandbox.isWatched = listener.progress != nil
            command.monitor?.events = run.files.events
            sandbox.keepsEvidence = { run.keepPart() }
            do {
                return (try Supervision.run(command, in: sandbox, listener), run)
            } catch {
                run.keepPart()
                throw error
            }
        }
    }
}

extension Sandbox {
    /// Has the sandbox write the packets and the events to the files, and send requests to the follower.
    fileprivate mutating func keep(in files: ObservationFiles, readBy follower: RunFollower) {
        capture = files.writer
        self.files = (files.capture, files.events)
        reader = follower.channel
    }
}

/// A run whose packets are observed on the userspace engine.
package struct ObservedPlan: Sendable {
    /// Where the packets are kept.
    package enum Evidence: Sendable {
        /// Nowhere: the packets are deleted after the verdicts.
        case unnamed
        /// In a report's directory.
        case report(String)
        /// In a file that the user named.
        case capture(RunCapture)
    }

    /// The sandbox; its conditions have the engine and the seed that the user named.
    package var sandbox: Sandbox
    package var command: WrappedCommand
    package var expectations: [ClientExpectation]
    package var evidence: Evidence
    /// Whether an inconclusive expectation is a failure.
    package var isStrict: Bool
    /// Whether the command is ended as soon as an expectation can no longer be met.
    package var failsFast: Bool
    /// The options that make the same plan, without the seed, as a user types them.
    package var options: [String]
    /// The version of linkcond.
    package var version: String
    /// The conditions, as a list of runs has them; nil unless the run is one of several.
    package var network: TrialList.Network?
    /// The most bytes of memory for the client's traffic.
    package var memory = ReadingBudget.ofRun

    package init(
        _ command: WrappedCommand,
        in sandbox: Sandbox,
        expecting expectations: [ClientExpectation],
        evidence: Evidence = .unnamed,
        isStrict: Bool = false,
        failsFast: Bool = false,
        options: [String],
        version: String
    ) {
        (self.command, self.sandbox, self.expectations) = (command, sandbox, expectations)
        (self.evidence, self.isStrict, self.options, self.version) = (evidence, isStrict, options, version)
        self.failsFast = failsFast
    }

    /// The command line that repeats the run. Without conditions, nothing is random, and there is no seed.
    package var repetition: [String] {
        let seed = sandbox.conditions?.request.seed.map { ["--seed", "\($0)"] } ?? []
        return ["linkcond", "run"] + options + seed + ["--"] + command.words
    }
}
