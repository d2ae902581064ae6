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
            _superCommandName: "linkcond",
            abstract: "Run a command in a private conditioned network, or with -i on a conditioned interface.",
            usage: "linkcond run [PROFILE] [OPTIONS] -- COMMAND [ARGUMENT...]",
            discussion: """
                The command keeps its user, directory, environment, terminal, signals and exit status. It has a \
                loopback and, unless --offline, an uplink to this machine's network, both with the profile's \
                conditions; without a profile they have none until "linkcond switch" inside. When the command ends, \
                the processes that it left are ended too.

                Exit status: the command's own, 124 after --timeout, 125 if linkcond fails, 126 if the command \
                cannot be executed, 127 if it is not found.
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

        @Option(name: .long, help: "Run the command as this user, with that user's groups and HOME (root only).")
        var user: String?

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
            guard interface == nil || wanted.isGiven else { throw ValidationError("-i needs a profile.") }
            guard interface == nil || sandbox.isEmpty else {
                throw ValidationError(
                    "--offline, --host-port and --log cannot be combined with -i."
                )
            }
            guard wanted.isGiven || traffic.isEmpty && rule.isEmpty else {
                throw ValidationError("Selectors, --seed and --before-foreign need a profile.")
            }
        }

        func run() throws {
            Supervision.prepare()
            let loaded = try wanted.loadIfGiven()
            let wrapped = WrappedCommand(
                arguments: argumentBytes,
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
                    wrapped,
                    in: ConditionedInterface(interface, request),
                    note: note,
                    report: Console.note
                )
            } else {
                // With --user, another user's command asks for names, and must not read directories with root's
                // privileges.
                let catalog = wrapped.account == nil ? wanted.catalogOptions.catalog : Catalog(directories: [])
                let environment = try sandbox.sandbox(
                    try loaded.map { try rule.request($0, try traffic.selection()) },
                    engine: rule.engine.engine,
                    catalog: catalog,
                    account: wrapped.account
                )
                end = try Supervision.run(wrapped, in: environment, note: note, report: Console.note)
            }
            if case .notStarted(let code) = end {
                Console.failure("cannot run \(command[0]): \(String(cString: strerror(code)))")
            }
            end.imitate()
        }

        /// The command's arguments as bytes: a String would replace invalid UTF-8.
        private var argumentBytes: [[UInt8]] {
            UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).suffix(command.count)
                .map { argument in argument.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? [] }
        }
    }
}
