// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinuxSystem
import Reachability
import Sandboxing
import Trials

extension Linkcond {
    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(
            .run,
            abstract: "Run a command in a private conditioned network, or with -i on a conditioned interface.",
            usage: "linkcond run [PROFILE] [OPTIONS] -- COMMAND [ARGUMENT...]",
            discussion: """
                The command keeps its user, directory, environment, terminal, signals and exit status. It has a \
                loopback and, unless --offline, an uplink to this machine's network, both with the profile's \
                conditions; without a profile they have none until "linkcond switch" inside. When the command ends, \
                the processes that it left are ended too.

                With --container, --netns or --pid, the command runs in that network, whose interface has the conditions \
                while it runs: that of -i, else eth0, else the only one.

                Exit status: the command's own if that is not 0, else 1 if an expectation failed; 124 after --timeout, \
                125 if linkcond fails, 126 if the command cannot be executed, 127 if it is not found.
                """
        )

        @OptionGroup var profileOptions: ProfileOptions

        @Option(
            name: .interface,
            help: "Condition this interface while the command runs, instead of a private network."
        )
        var interface: String?

        @OptionGroup var namespace: NamespaceOptions
        @OptionGroup var traffic: TrafficOptions
        @OptionGroup var facing: FacingOptions
        @OptionGroup var rule: RuleOptions
        @OptionGroup var sandbox: SandboxOptions
        @OptionGroup var observation: ObservationOptions

        @Option(
            name: .long,
            help: """
                Change the conditions while the command runs, as this file says, or a built-in scenario such as \
                "NAT Rebinding"; "-" is standard input.
                """
        )
        var scenario: String?

        @Option(
            name: .long,
            help: """
                Several uplinks at once, each with an interface and a profile of its own, such as wifi0=LTE; repeatable, \
                the preferred one first. PROFILE is loopback's then.
                """,
            transform: PathOption.init
        )
        var path: [PathOption] = []

        @Option(
            name: .long,
            help: "Other profiles for parts of the traffic, as this file lists them; \"-\" is standard input."
        )
        var rules: String?

        @Option(
            name: .long,
            help: "End the command after this time (\"90\" or \"90s\", \"5m\"), with status 124.",
            transform: EndingOptions.time
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
            try Linkcond.require(command, "run PROFILE")
            try refuseContradictions(isObserved: observation.isUsed)
        }

        func run() throws {
            // Opens the standard streams that the caller left closed, so that no other file gets their descriptors.
            Descriptors.fillStandard()
            let plan = try plan()
            if let repetitions, case .observed(let observed) = plan {
                try observed.repeat(repetitions, jobs: jobs ?? 1, report: observation.report)
            }
            try plan.execute(display(of: plan), in: namespace.words)
        }

        private func display(of plan: RunPlan) -> RunDisplay? {
            let usual: RunDisplay.Place
            switch plan {
            case .interface: return nil
            case .sandbox(let sandbox, _): usual = sandbox.conditions?.scenario == nil ? .none : .title
            case .observed: usual = .title
            }
            return RunDisplay(progress ?? usual, file: nil, timeout: timeout)
        }
    }
}
