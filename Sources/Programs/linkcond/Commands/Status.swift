// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import SandboxClient
import Sandboxing

extension Linkcond {
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            .status,
            abstract: "Show the conditions in effect, with counters.",
            examples: "status",
            "status -i eth0 --watch"
        )

        @Option(name: .interface, help: ArgumentHelp("Only this interface.", valueName: "DEV"))
        var interface: String?

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @Flag(name: .long, help: "Refresh every second until interrupted, on a terminal with a graph of each lane.")
        var watch = false

        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        func run() throws {
            let (report, reason) = try source()
            guard watch else {
                let state = try report()
                show(state, reason)
                if let failure = state.journalFailure { throw failure }
                return
            }
            let isTerminal = isatty(STDOUT_FILENO) == 1
            var lanes = WatchedLanes()
            var last = ContinuousClock.now
            while true {
                let state = try report()
                let now = ContinuousClock.now
                lanes.add(state, after: last.duration(to: now))
                last = now
                if isTerminal { Console.clear() }
                show(state, reason)
                if let failure = state.journalFailure { Console.failure("note: \(failure.message)") }
                if isTerminal, !json { Console.data(lanes.lines) }
                sleep(1)
            }
        }

        /// Returns a function that reads the state: from the supervisor inside a sandbox, else from the kernel and the
        /// journal. Returns also the reason for the userspace engine; nil if it is not known.
        private func source() throws -> (read: () throws -> StatusReport, reason: () -> String?) {
            if interface == nil, namespace.isOwn, let sandbox = ControlClient.ofThisSandbox {
                return ({ try sandbox.status() }, { nil })
            }
            let conditioner = try namespace.conditioner("status")
            return ({ try conditioner.status(interface) }, { conditioner.reasonForUserspace })
        }

        private func show(_ report: StatusReport, _ reason: () -> String?) {
            Console.data(report.lines(in: namespace.words, userspace: reason()), or: report.json, asJSON: json)
            // A note based on an unreadable journal could be wrong, so there is none.
            if !json, report.journalFailure == nil, let note = report.note(in: namespace.words) {
                note.contains("\ntry: ") ? Console.failure(note) : Console.notes(note)
            }
        }
    }
}
