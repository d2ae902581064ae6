// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import LinuxSystem
import Netlink
import Sandboxing

extension Linkcond {
    /// `linkcond status`
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            _superCommandName: "linkcond",
            abstract: "Show the rules in effect: conditions, times, users and counters."
        )

        @Option(name: [.customShort("i"), .customLong("interface")], help: "Only this interface.")
        var interface: String?

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @Flag(name: .long, help: "Refresh every second until interrupted.")
        var watch = false

        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            let report = try source()
            repeat {
                if watch, isatty(STDOUT_FILENO) == 1 { Console.clear() }
                show(try report())
                if watch { sleep(1) }
            } while watch
        }

        /// The source of the state: the supervisor inside a sandbox, else the kernel and the journal.
        private func source() throws -> () throws -> StatusReport {
            if interface == nil, namespace.isOwn, let sandbox = ControlClient.ofThisSandbox {
                return { try Failure.catching { try sandbox.status() } }
            }
            let conditioner = try namespace.conditioner("status")
            return { try Failure.catching { try conditioner.status(interface) } }
        }

        private func show(_ report: StatusReport) {
            if json { return Console.data(report.json.text) }
            report.lines.forEach(Console.data)
            if let note = report.note { Console.note(note) }
        }
    }
}
