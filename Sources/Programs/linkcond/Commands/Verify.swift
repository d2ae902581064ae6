// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkMeasuring
import LinkProfiles
import LinkVerification
import PacketPump
import ProfileCatalog
import Trials

extension Linkcond {
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            .verify,
            abstract: "Measure on this machine whether a link is as a profile says.",
            discussion: """
                Makes a private network with the profile's conditions, sends packets through it both ways, and prints what \
                was asked, what the model of the conditions makes of the same packets, and what was measured: delays, \
                losses and their bursts, order, copies, rate, queue, IPv6, DNS and TCP. What is not as it should be is \
                measured a second time. What this machine's own noise could explain is inconclusive.

                Last, one TCP connection carries what it can over an uplink of the network, as "linkcond run" has it, to a \
                host outside: its goodput is what CUBIC gets of the model. --over-uplink measures everything there.

                With --peer it measures the link to another machine as it is, on which "linkcond reflect" runs. \
                LINKCOND_KEY has its key.

                Exit status: 0 if the link is as asked or nobody can say (with --strict only the former), 1 if it is not.
                """,
            examples: "verify 3g",
            "verify lte --budget 2m --report report"
        )

        @OptionGroup var profileOptions: ProfileOptions

        @Option(name: .long, help: ArgumentHelp("The engine that carries the conditions.", valueName: "ENGINE"))
        var engine = EngineOption.auto

        @Option(
            name: .long,
            help: ArgumentHelp("The time that it may take: \"90\" or \"90s\", \"5m\".", valueName: "TIME")
        )
        var budget = "60s"

        @Option(
            name: .long,
            help: ArgumentHelp("The seed of the random sequences, to repeat a measurement.", valueName: "N")
        )
        var seed: UInt64?

        @Flag(name: .long, help: "Measure everything over an uplink to a host outside, and nothing on the loopback.")
        var overUplink = false

        @Flag(
            name: .long,
            help: "Measure the loopback of the network that this command is in, as it is: inside \"run\"."
        )
        var here = false

        @Option(
            name: .long,
            help: ArgumentHelp("Measure the link to this \"HOST\" or \"HOST:PORT\", as it is.", valueName: "HOST")
        )
        var peer: String?

        @Option(
            name: [.customShort("i"), .long],
            help: ArgumentHelp("The interface that leads to the peer.", valueName: "DEV")
        )
        var interface: String?

        @Option(
            name: .long,
            help: ArgumentHelp(
                "What packets take to the peer and back without conditions, as ping shows it: '0.4 ms'.",
                valueName: "TIME"
            )
        )
        var pathDelay: String?

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Write a page that draws the figures (report.html) into this directory.",
                valueName: "DIR"
            )
        )
        var report: String?

        @Flag(name: .long, help: "Exit with 1 if a figure is inconclusive, too.")
        var strict = false

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func validate() throws {
            _ = try EndingOptions.time(budget)
            guard !here || engine == .auto && seed == nil else {
                throw ValidationError("--here measures the link that is there: leave out --engine and --seed.")
            }
            guard !overUplink || !here && peer == nil else {
                throw ValidationError("--over-uplink makes a link of its own: leave out --here and --peer.")
            }
            guard peer == nil || engine == .auto && seed == nil && !here else {
                throw ValidationError("--peer measures the link that is there: leave out --engine, --seed and --here.")
            }
            guard peer != nil || interface == nil && pathDelay == nil else {
                throw ValidationError("--interface and --path-delay need --peer.")
            }
            _ = try ownRoundTrip()
        }

        /// The round trip of the path without conditions (--path-delay), in milliseconds; nil if it is not given.
        private func ownRoundTrip() throws -> Double? {
            try pathDelay.map { text in
                guard let delay = Duration(parsing: text) else {
                    throw ValidationError("'\(text)' is not a delay such as '0.4 ms'")
                }
                return Double(delay.nanoseconds) / 1e6
            }
        }

        func run() throws {
            var loaded = try profileOptions.load()
            LoadedProfile.note([loaded])
            guard !loaded.profile.isShared || !here && peer == nil else {
                let hint = "verify it alone, without --here and --peer, or name a profile without competing traffic"
                throw Failure(.usage, "\(loaded.label) is shared, and what others do to probes is not known: \(hint)")
            }
            let unseen = loaded.profile.removeAllButFigures()
            var request = try loaded.request(seed: seed)
            request.engine = engine.engine
            if !unseen.isEmpty {
                Console.failure(
                    "note: verify measures the figures of a link; not measured: \(unseen.joined(separator: ", "))"
                )
            }
            guard !request.profile.lanes.isEmpty else {
                throw Failure(.usage, "\(loaded.label) has no figures of a link, so there is nothing to measure")
            }
            let traces = Dictionary(
                try loaded.traces().map { ($0.reference, $0.trace) },
                uniquingKeysWith: { first, _ in first }
            )
            let plan = VerificationPlan(
                request.profile,
                traces: traces,
                budget: try EndingOptions.time(budget),
                uplink: uplinkShare
            )
            let directory = try report.map { try ReportDirectory($0, for: nil, keepsRoom: false) }
            var verification = Verification(request.profile, traces: traces)
            var link = MeasuredLink(try kind(of: request), VerificationDisplay.listener(for: request.profile.name))
            try link.verify(plan, into: &verification, needsUplink: overUplink)
            let table = VerificationTable(
                verification,
                request.profile,
                engine: link.engine,
                isOverUplink: overUplink
            )
            Console.data(table.lines, or: table.json, asJSON: json)
            try directory?.write(table.report, table.json)
            switch verification.verdict {
            case .pass: return
            case .fail: Glibc.exit(1)
            case .inconclusive: if strict { Glibc.exit(1) }
            }
        }

        /// The measurements that run over an uplink: all with --over-uplink, else TCP transfers if an uplink is
        /// possible.
        private var uplinkShare: VerificationPlan.UplinkShare {
            if overUplink { return .all }
            guard !here, peer == nil else { return .nothing }
            guard let problem = TapDevice.accessProblem else { return .transfers }
            Console.failure("note: nothing is measured over an uplink: \(problem)")
            return .nothing
        }

        private func kind(of request: RuleRequest) throws -> MeasuredLink.Kind {
            guard let peer else {
                return .sandbox(LinkMeasurement(request, isHere: here, printFailure: { Console.failure($0) }))
            }
            let measurement = try PeerOption.measurement(of: peer, device: interface, request.profile)
            return .peer(measurement, ownRoundTrip: try ownRoundTrip())
        }
    }
}
