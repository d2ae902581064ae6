// SPDX-License-Identifier: Apache-2.0

package import ClientObservation
internal import Glibc
package import LinkConditioning
package import Sandboxing

/// What a run tells while its command runs.
package struct RunListener {
    /// Is called with notes for the user.
    package var note: (String, Remedy?) -> Void
    /// Is called with the monitor's output.
    package var report: (String) -> Void
    /// Is called with the progress several times a second; nil to show none.
    package var progress: ((RunProgress) -> Void)?

    package init(
        note: @escaping (String, Remedy?) -> Void,
        report: @escaping (String) -> Void,
        progress: ((RunProgress) -> Void)?
    ) {
        (self.note, self.report, self.progress) = (note, report, progress)
    }
}

extension RunPlan {
    /// The command.
    package var command: CommandPlan {
        switch self {
        case .interface(_, _, let command, _): command
        case .sandbox(let plan, _): plan.command
        case .observed(let plan): plan.sandbox.command
        }
    }

    /// Runs the command.
    ///
    /// - Returns: how it ended, and what an observed run left.
    package func run(_ listener: RunListener) throws -> (end: CommandEnd, observed: ObservedRun?) {
        switch self {
        case .interface(let name, let request, let command, let extras):
            var environment = try ConditionedInterface(name, request, account: command.account)
            environment.capture = extras.capture.map { RunCapture($0) }
            return (try command.run(in: environment, keepsChildren: extras.keepsChildren, listener), nil)
        case .sandbox(let plan, let extras):
            var environment = Sandbox(plan)
            environment.capture = extras.capture.map { RunCapture($0) }
            if extras.capture == nil, !extras.keepsChildren {
                // Tests inside may ask for their packets later. Without room for them, they are told so.
                environment.observation = .atRequest
                if let files = try? ObservationFiles() { environment.keep(in: files) }
                // The keys of TLS are kept only in a capture that the user asked for.
                environment.capture?.keyLog = nil
            }
            environment.isWatched = listener.progress != nil
            return (try plan.command.run(in: environment, keepsChildren: extras.keepsChildren, listener), nil)
        case .observed(let plan):
            let run = try ObservedRun(plan)
            var environment = Sandbox(run.plan.sandbox)
            environment.keep(in: run.files)
            let request = plan.sandbox.conditions?.request
            environment.observation = .fromStart(insteadOf: request?.engine == nil ? request : nil)
            environment.isWatched = listener.progress != nil
            let command = plan.sandbox.command
            return (try command.run(in: environment, keepsChildren: false, listener, run.files.events), run)
        }
    }
}

extension CommandPlan {
    fileprivate func run(
        in environment: some ExecutionEnvironment,
        keepsChildren: Bool,
        _ listener: RunListener,
        _ events: CInt? = nil
    ) throws(SandboxError) -> CommandEnd {
        var command = WrappedCommand(
            arguments: arguments,
            account: account,
            timeout: timeout,
            keepsChildren: keepsChildren
        )
        command.monitor = monitor(events)
        return try Supervision.run(
            command,
            in: environment,
            note: listener.note,
            report: listener.report,
            progress: listener.progress
        )
    }
}

extension Sandbox {
    fileprivate init(_ plan: SandboxPlan) {
        self.init(
            request: plan.conditions?.request,
            engine: plan.engine,
            log: plan.log,
            uplinkProgram: plan.uplink,
            hostPorts: plan.hostPorts,
            catalog: plan.catalog,
            account: plan.command.account
        )
        scenario = plan.conditions?.steps
    }

    /// Keeps the packets and the events in the files.
    fileprivate mutating func keep(in files: ObservationFiles) {
        capture = RunCapture(files.capturePlan, isNamed: files.isNamed)
        (events, captureFile) = (files.events, files.capture)
    }
}
