// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ClientObservation
import Glibc
import LinkConditioning
import LinkProfiles
import LinuxSystem
import ProfileCatalog
import Reachability
import Sandboxing

extension Linkcond {
    /// `linkcond run PROFILE -- COMMAND...`
    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            _superCommandName: "linkcond",
            abstract: "Run a command in a private conditioned network, or with -i on a conditioned interface.",
            usage: "linkcond run [PROFILE] [OPTIONS] -- COMMAND [ARGUMENT...]",
            discussion: """
                The command keeps its user, directory, environment, terminal, signals and exit status. It has a \
                loopback and, unless --offline, an uplink to this machine's network, both with the profile's \
                conditions; without a profile they have none until "linkcond switch" inside. When the command ends, \
                the processes that it left are ended too.

                Exit status: the command's own if that is not 0, else 1 if an expectation failed; 124 after --timeout, \
                125 if linkcond fails, 126 if the command cannot be executed, 127 if it is not found.
                """
        )

        @OptionGroup var wanted: ProfileOptions

        @Option(
            name: [.customShort("i"), .customLong("interface")],
            help: "Condition this interface while the command runs, instead of a private network."
        )
        var interface: String?

        @OptionGroup var traffic: TrafficOptions
        @OptionGroup var rule: RuleOptions
        @OptionGroup var sandbox: SandboxOptions
        @OptionGroup var observation: ObservationOptions
        @OptionGroup var scenario: ScenarioOptions

        @Option(
            name: .long,
            help: "End the command after this time (\"90\" or \"90s\", \"5m\"), with status 124.",
            transform: { text in
                guard let limit = Duration(limit: text), limit > .zero else {
                    throw ValidationError("'\(text)' is not a time such as \"90s\" or \"5m\"")
                }
                return limit
            }
        )
        var timeout: Duration?

        @Option(name: .customLong("repeat"), help: "Run the command this many times, with one seed after the other.")
        var repetitions: Int?

        @Option(name: .long, help: "Run this many at the same time, with --repeat. Default: 1.")
        var jobs: Int?

        @Option(name: .long, help: "Run the command as this user, with that user's groups and HOME (root only).")
        var user: String?

        @Option(
            name: .long,
            help: """
                Where to show the progress if standard error is a terminal: its title, a line, none. Default: title \
                with --scenario, --expect, --report or --observe, else none.
                """
        )
        var progress: RunDisplay.Place?

        /// The descriptor of a file that holds the progress as text, for the process that started this one.
        @Option(name: .customLong("progress-descriptor"), help: .hidden)
        var progressDescriptor: CInt?

        @Flag(name: .long, help: "Keep the processes that the command leaves running.")
        var keepChildren = false

        @Option(
            name: .long,
            help: "Monitor this target from inside and print a summary after the command's output; repeatable.",
            transform: { try MonitorOptions.target($0) }
        )
        var monitor: [Target] = []

        @Argument(parsing: .postTerminator, help: "The command and its arguments, after \"--\".")
        var command: [String] = []

        mutating func validate() throws {
            guard let program = command.first else {
                throw ValidationError("Missing a command: linkcond run PROFILE -- COMMAND")
            }
            guard !program.isEmpty else { throw ValidationError("The command is empty.") }
            guard user == nil || geteuid() == 0 else { throw ValidationError("--user needs root.") }
            if scenario.scenario != nil {
                guard !wanted.isGiven else {
                    throw ValidationError(
                        "--scenario names its profiles: leave out PROFILE, --downlink, --uplink, --dns."
                    )
                }
                guard interface == nil else { throw ValidationError("--scenario cannot be combined with -i.") }
            }
            guard interface == nil || wanted.isGiven else { throw ValidationError("-i needs a profile.") }
            guard interface == nil || sandbox.isEmpty else {
                throw ValidationError("--offline, --host-port and --log cannot be combined with -i.")
            }
            if let interface, let file = sandbox.capture, rule.engine.engine == .netem {
                throw ValidationError(
                    """
                    --capture with -i needs the userspace engine, which knows what became of each packet. \
                    Leave out --engine, or type in another terminal: linkcond capture -i \(interface) -w \(file)
                    """
                )
            }
            guard interface == nil || progress == nil else {
                throw ValidationError("--progress cannot be combined with -i.")
            }
            guard interface == nil || !observation.isUsed else {
                throw ValidationError("--expect and --report cannot be combined with -i.")
            }
            try validateRepetition()
            guard wanted.isGiven || scenario.scenario != nil || traffic.isEmpty && rule.isEmpty else {
                throw ValidationError("Selectors, --seed and --before-foreign need a profile.")
            }
        }

        private func validateRepetition() throws {
            guard let repetitions else {
                guard jobs == nil else { throw ValidationError("--jobs needs --repeat.") }
                return
            }
            guard 1...TrialOptions.mostRuns ~= repetitions else {
                throw ValidationError("--repeat is from 1 to \(TrialOptions.mostRuns).")
            }
            guard 1...TrialOptions.mostJobs ~= jobs ?? 1 else {
                throw ValidationError("--jobs is from 1 to \(TrialOptions.mostJobs).")
            }
            guard interface == nil, sandbox.capture == nil, sandbox.log == nil, !keepChildren else {
                throw ValidationError("--repeat cannot be combined with -i, --capture, --log and --keep-children.")
            }
            guard rule.engine.engine != .netem else {
                throw ValidationError("--repeat needs the userspace engine, which knows each packet's fate.")
            }
            guard wanted.profile != "-", scenario.scenario != "-" else {
                throw ValidationError("--repeat cannot read standard input; give it a file.")
            }
        }

        func run() throws {
            Supervision.prepare()
            let scenario = try scenario.load(wanted.catalogOptions)
            let loaded = try scenario?.first ?? wanted.loadIfGiven()
            if let repetitions {
                let isConditioned = loaded != nil
                let seed = isConditioned ? rule.seed ?? UInt64.random(in: 0...UInt64(UInt32.max)) : nil
                try RepeatedRun(
                    count: repetitions,
                    jobs: jobs ?? 1,
                    seed: seed,
                    command: command,
                    observation: observation,
                    user: user
                ).run()
            }
            for loaded in scenario?.profiles ?? [loaded].compactMap({ $0 }) where loaded.hidesBuiltIn {
                Console.failure("note: \"\(loaded.profile.name)\" is \(loaded.origin), not the built-in profile")
            }
            var wrapped = WrappedCommand(
                arguments: CommandLine.lastArguments(command.count),
                account: try user.map { try Account(named: $0) },
                timeout: timeout,
                keepsChildren: keepChildren
            )
            wrapped.monitor = MonitorTask(monitor)
            let isObserved = observation.isUsed || scenario?.scenario.expect.isEmpty == false
            let place = progress ?? (isObserved || scenario != nil ? .title : .none)
            let display = interface == nil ? RunDisplay(place, file: progressDescriptor) : nil
            let note = { (text: String, remedy: Remedy?) in
                display?.erase()
                Console.failure(String("note: \(text)", try: remedy?.words))
            }
            let end: CommandEnd
            var observed: ObservedRun?
            if let interface, let loaded {
                let request = try rule.request(loaded, traffic.selection())
                if timeout == nil {
                    try Failure.catching {
                        try InterfaceConditioner(command: "run").lockoutGuard
                            .check(request, on: interface, remedy: "--timeout 60s, or --exclude 'port 22'")
                    }
                }
                var environment = try ConditionedInterface(interface, request, account: wrapped.account)
                environment.capture = sandbox.runCapture()
                end = try Supervision.run(
                    wrapped,
                    in: environment,
                    note: note,
                    report: Console.notes
                )
            } else {
                // With --user, another user's command asks for names, and must not read directories with root's
                // privileges.
                let catalog = wrapped.account == nil ? wanted.catalogOptions.catalog : Catalog(directories: [])
                let selection = try traffic.selection()
                var request = try loaded.map { try rule.request($0, selection) }
                let unobservedRequest = request
                var steps = try scenario.map { try SandboxScenario($0, rule, selection) }
                if isObserved {
                    try refuseObservation()
                    let begun = try observation.begin(
                        command,
                        loaded,
                        scenario,
                        sandbox.capture,
                        for: wrapped.account,
                        &request,
                        &steps
                    )
                    observed = begun
                    wrapped.monitor = MonitorTask(monitor, record: begun.files.events)
                }
                // Tests inside may ask for their packets later. Without room for them, they are told so.
                let isForRequests = !isObserved && sandbox.capture == nil && !keepChildren
                var environment = try sandbox.sandbox(
                    request,
                    engine: isObserved ? .userspace : rule.engine.engine,
                    catalog: catalog,
                    account: wrapped.account,
                    files: observed?.files ?? (isForRequests ? try? ObservationFiles() : nil)
                )
                let unobserved = isObserved && rule.engine.engine == nil ? unobservedRequest : nil
                environment.observation = isForRequests ? .atRequest : .fromStart(insteadOf: unobserved)
                // Nobody has asked for the command's keys.
                if isForRequests { environment.capture?.keyLog = nil }
                environment.scenario = steps
                environment.isWatched = display != nil
                defer { display?.erase() }
                end = try Supervision.run(
                    wrapped,
                    in: environment,
                    note: note,
                    report: { text in
                        display?.erase()
                        Console.notes(text)
                    },
                    progress: display.map { display in { display.show($0) } }
                )
            }
            if case .notStarted(let code?) = end {
                Console.failure("cannot run \(command[0]): \(String(cString: strerror(code)))")
            }
            if let observed {
                let status = observation.finish(observed, end)
                if end.exitStatus == 0, let signal = Interruption.signal { CommandEnd.killed(signal).imitate() }
                if end.exitStatus == 0, status != 0 { Glibc.exit(status) }
            }
            end.imitate()
        }

        /// Fails for options that an observed run cannot have.
        private func refuseObservation() throws {
            guard observation.report == nil || sandbox.capture == nil else {
                throw ValidationError("--report writes packets.pcapng; leave out --capture.")
            }
            guard !keepChildren else {
                throw ValidationError("Expectations and --report cannot be combined with --keep-children.")
            }
            guard rule.engine.engine != .netem else {
                throw ValidationError(
                    "Expectations and --report need the userspace engine, which knows each packet's fate; "
                        + "leave out --engine."
                )
            }
        }
    }
}
