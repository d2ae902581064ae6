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
            let report = try source()
            guard watch else {
                let state = try report()
                show(state)
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
                show(state)
                if let failure = state.journalFailure { Console.notes("note: \(failure.message)") }
                if isTerminal, !json { Console.data(lanes.lines) }
                sleep(1)
            }
        }

        /// Returns a function that reads the state: from the supervisor inside a sandbox, else from the kernel and the
        /// journal.
        private func source() throws -> () throws -> StatusReport {
            if interface == nil, namespace.isOwn, let sandbox = ControlClient.ofThisSandbox {
                return { try sandbox.status() }
            }
            let conditioner = try namespace.conditioner("status")
            return { try conditioner.status(interface) }
        }

        private func show(_ report: StatusReport) {
            Console.data(report.lines(in: namespace.words), or: report.json, asJSON: json)
            // A note based on an unreadable journal could be wrong, so there is none.
            if !json, report.journalFailure == nil, let note = report.note(in: namespace.words) { Console.notes(note) }
        }
    }
}
