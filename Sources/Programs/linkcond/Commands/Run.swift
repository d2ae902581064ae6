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
            abstract: "Run a command in a private network, with a bad link.",
            usage: "linkcond run [PROFILE] [OPTIONS] -- COMMAND [ARGUMENT...]",
            discussion: """
                With -i, the command runs on a conditioned interface instead.

                The command keeps its user, directory, environment, terminal, signals and exit status. It has a \
                loopback and, unless --offline, an uplink to this machine's network, both with the profile's \
                conditions. Without a profile the network is good until you "switch" inside. When the command ends, the \
                processes that it left are ended too.

                With --container, --netns or --pid, the command runs in that network, whose interface has the conditions \
                while it runs: that of -i, else eth0, else the only one.

                Exit status: the command's own if that is not 0, else 1 if an expectation failed; 124 after --timeout, \
                125 if linkcond fails, 126 if the command cannot be executed, 127 if it is not found.
                """,
            examples: "run slow-net -- curl https://example.org",
            "run lte --expect 'completes within 30 s' --report report -- ./test"
        )

        @OptionGroup var profileOptions: ProfileOptions

        @OptionGroup(title: "Interface") private var device: RunInterfaceOptions
        @OptionGroup(title: "Interface") var namespace: NamespaceOptions
        @OptionGroup(title: "Link") var traffic: TrafficOptions
        @OptionGroup(title: "Interface") var facing: FacingOptions
        @OptionGroup var rule: RuleOptions
        @OptionGroup var sandbox: SandboxOptions
        @OptionGroup var observation: ObservationOptions

        @OptionGroup(title: "Link") var link: RunLinkOptions
        @OptionGroup(title: "Judge") var course: RunCourseOptions
        @OptionGroup(title: "Output") var output: ProgressOptions
        @OptionGroup(title: "Output") var beside: PaneOptions
        @OptionGroup(title: "Rare") var rare: RareRunOptions

        @Argument(
            parsing: .postTerminator,
            help: ArgumentHelp("The command and its arguments, after \"--\".", valueName: "COMMAND")
        )
        var command: [String] = []

        var interface: String? { device.interface }

        mutating func validate() throws {
            try Linkcond.require(command, "run PROFILE")
            try refuseContradictions(isObserved: observation.isUsed)
        }

        func run() throws {
            // Opens the standard streams that the caller left closed, so that no other file gets their descriptors.
            Descriptors.fillStandard()
            let plan = try plan()
            if let repetitions = course.repetitions, case .observed(let observed) = plan {
                return try observed.repeat(repetitions, course, report: observation.report, isSeeded: rule.seed != nil)
            }
            let subject: PaneProcess.Subject = if case .interface = plan { .host } else { .run }
            try plan.execute(display(of: plan), pane: beside.pane ? subject : nil, in: namespace.words)
        }

        private func display(of plan: RunPlan) -> RunDisplay? {
            let usual: RunDisplay.Place
            switch plan {
            case .interface: return nil
            case .sandbox(let sandbox, _): usual = sandbox.conditions?.scenario == nil ? .none : .title
            case .observed: usual = .title
            }
            return RunDisplay(output.progress ?? usual, file: nil, timeout: course.timeout)
        }
    }
}
