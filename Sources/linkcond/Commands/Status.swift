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
            abstract: "Show what is applied where, since when, by whom, and what it has done."
        )

        @Option(name: [.customShort("i"), .customLong("interface")], help: "Only this interface.")
        var interface: String?

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @Flag(name: .long, help: "Show it anew every second, until interrupted.")
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

        /// Where the state is to be had: inside a sandbox from its keeper, else from the kernel.
        private func source() throws -> () throws -> StatusReport {
            if interface == nil, namespace.isOwn, let keeper = ControlClient.ofThisSandbox {
                return { try Failure.catching { try keeper.status() } }
            }
            let connection = try namespace.connect()
            return {
                let journal = Journal.existing()
                for note in Sweep.mend(connection, journal: journal) { Console.note("note: \(note)") }
                let (devices, abandoned) = try Inspector(connection).devices(named: interface)
                var report = StatusReport(devices: devices, abandoned: abandoned)
                report.askPumps(of: devices)
                if let journal, let place = JournalPlace.current {
                    for entry in journal.suspended() where interface == nil || interface == entry.name {
                        report.add(suspendedIn: entry)
                    }
                    for device in devices {
                        guard case .entry(let entry) = journal.read(device.link.index, in: place) else { continue }
                        report.add(entry, now: BootClock.now, time: time(nil))
                    }
                }
                return report
            }
        }

        private func show(_ report: StatusReport) {
            if json { return Console.data(report.json.text) }
            report.lines.forEach(Console.data)
            if let note = report.note { Console.note(note) }
        }
    }
}
