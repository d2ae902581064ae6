// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import ProfileCatalog
import Reachability
import Sandboxing

extension Linkcond {
    /// `linkcond run PROFILE -- COMMAND...`
    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Run a command in a conditioned network of its own, or with -i on a conditioned interface.",
            usage: "linkcond run [PROFILE] [OPTIONS] -- COMMAND [ARGUMENT...]",
            discussion: """
                The command keeps its user, directory, environment, terminal, signals and exit status. It has a \
                loopback and, unless --offline, an uplink to this machine's network, both with the profile's \
                conditions; without a profile they have none until "linkcond switch" inside. When it ends, what it \
                left running ends too.

                Exit status: the command's own, 124 after --timeout, 125 if linkcond fails, 126 if the command \
                cannot be executed, 127 if it is not found.
                """
        )

        @OptionGroup var wanted: ProfileOptions

        @Option(
            name: [.customShort("i"), .customLong("interface")],
            help: "Condition this interface for just that long, instead of a network of the command's own."
        )
        var interface: String?

        @OptionGroup var traffic: TrafficOptions
        @OptionGroup var rule: RuleOptions
        @OptionGroup var sandbox: SandboxOptions

        @Option(
            name: .long,
            help: "End the command after this time (\"90\" or \"90s\", \"5m\"), with status 124.",
            transform: { text in
                guard let limit = Duration(limit: text), limit > .zero else {
                    throw ValidationError("'\(text)' is no time such as \"90s\" or \"5m\"")
                }
                return limit
            }
        )
        var timeout: Duration?

        @Option(name: .long, help: "Run the command as this user, with that user's groups and HOME (root only).")
        var user: String?

        @Flag(name: .long, help: "Let what the command leaves running go on.")
        var keepChildren = false

        @Option(
            name: .long,
            help: "Watch this target from inside, and say behind the command's output what happened to it; repeatable.",
            transform: { try MonitorOptions.target($0) }
        )
        var monitor: [Target] = []

        @Argument(parsing: .postTerminator, help: "The command and its arguments, behind \"--\".")
        var command: [String] = []

        mutating func validate() throws {
            guard let program = command.first else {
                throw ValidationError("Missing a command: linkcond run PROFILE -- COMMAND")
            }
            guard !program.isEmpty else { throw ValidationError("The command is empty.") }
            guard user == nil || geteuid() == 0 else { throw ValidationError("--user needs root.") }
            guard interface == nil || wanted.isGiven else { throw ValidationError("-i needs a profile.") }
            guard interface == nil || sandbox.isEmpty else {
                throw ValidationError(
                    "--offline, --host-port and --log are for a network of the command's own, not for -i."
                )
            }
            guard wanted.isGiven || traffic.isEmpty && rule.isEmpty else {
                throw ValidationError("Selectors, --seed and --before-foreign need a profile.")
            }
        }

        func run() throws {
            Supervision.prepare()
            let loaded = try wanted.loadIfGiven()
            let wrapping = Wrapping(
                arguments: words,
                account: try user.map { try Account(named: $0) },
                timeout: timeout,
                keepsChildren: keepChildren,
                monitor: monitor.isEmpty ? nil : ["monitor", "--"] + monitor.map(\.description)
            )
            let note = { (text: String) in Console.failure("note: \(text)") }
            let end: CommandEnd
            if let interface, let loaded {
                let request = try rule.request(loaded, traffic.selection())
                if timeout == nil {
                    try Failure.catching {
                        try InterfaceConditioner(command: "run").sshGuard
                            .check(request, on: interface, remedy: "--timeout 60s, or --exclude 'port 22'")
                    }
                }
                end = try Supervision.run(
                    wrapping,
                    in: ConditionedInterface(interface, request),
                    note: note,
                    report: Console.note
                )
            } else {
                // With --user, another user's command asks for names: its rights, not ours, would be due in directories.
                let catalog = wrapping.account == nil ? wanted.places.catalog : Catalog(directories: [])
                let place = try sandbox.sandbox(
                    try loaded.map { try rule.request($0, try traffic.selection()) },
                    rule.engine.engine,
                    catalog,
                    wrapping.account
                )
                end = try Supervision.run(wrapping, in: place, note: note, report: Console.note)
            }
            if case .notStarted(let code) = end {
                Console.failure("cannot run \(command[0]): \(String(cString: strerror(code)))")
            }
            end.imitate()
        }

        /// The command's words as they were given: as text, bytes that are none would be replaced.
        private var words: [[UInt8]] {
            UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).suffix(command.count)
                .map { word in word.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? [] }
        }
    }
}
