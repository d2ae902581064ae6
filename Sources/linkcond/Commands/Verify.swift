// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import LinkVerification
import ProfileCatalog
import Trials

extension Linkcond {
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            "verify",
            abstract: "Measure on this machine whether a link is what a profile says.",
            discussion: """
                Makes a private network with the profile's conditions, sends packets through it both ways, and prints what \
                was asked, what the model of the conditions makes of the same packets, and what was measured: delays, \
                losses and their bursts, order, copies, rate, queue, IPv6, DNS and TCP. What is not as it should be is \
                measured a second time. What this machine's own noise could explain is inconclusive.

                Exit status: 0 if the link is as asked or nobody can say (with --strict only the former), 1 if it is not.
                """
        )

        @OptionGroup var profileOptions: ProfileOptions

        @Option(name: .long, help: "The engine that carries the conditions.")
        var engine = EngineOption.auto

        @Option(name: .long, help: "The time that it may take: \"90\" or \"90s\", \"5m\".")
        var budget = "60s"

        @Option(name: .long, help: "The seed of the random sequences, to repeat a measurement.")
        var seed: UInt64?

        @Flag(
            name: .long,
            help: "Measure the loopback of the network that this command is in, as it is: inside \"run\"."
        )
        var here = false

        @Option(name: .long, help: "Write a page that draws the figures (report.html) into this directory.")
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
        }

        func run() throws {
            var loaded = try profileOptions.load()
            LoadedProfile.note([loaded])
            let unseen = loaded.profile.keepFigures()
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
            let plan = VerificationPlan(request.profile, traces: traces, budget: try EndingOptions.time(budget))
            for words in plan.shortfalls { Console.failure("note: \(words)") }
            let directory = try report.map { try ReportDirectory($0, for: nil, keepsRoom: false) }
            let measurement = LinkMeasurement(request: request, isHere: here)
            var verification = Verification(request.profile, traces: traces)
            var notes: Set<String> = []
            var used: Engine?
            func measure(_ phases: [ProbePhase], _ title: String) throws {
                let display = VerificationDisplay(title, phases)
                defer { display.erase() }
                let result = try measurement.run(
                    phases,
                    note: { text in
                        guard notes.insert(text).inserted else { return }
                        display.erase()
                        Console.failure("note: \(text)")
                    },
                    progress: VerificationDisplay.isShown ? { display.draw() } : nil
                )
                used = result.engine
                verification.wakes = result.engine == .netem ? 1 : 2
                verification.add(idle: result.idle)
                for (phase, record) in zip(phases, result.phases) { verification.add(record, of: phase) }
            }
            try measure(plan.phases, request.profile.name)
            let again = verification.failures(of: plan.phases)
            if !again.isEmpty { try measure(again, "\(request.profile.name), again") }
            let table = VerificationTable(verification, request.profile, engine: used)
            Console.data(table.lines, or: table.json, asJSON: json)
            try directory?.write(table.report, table.json)
            switch verification.verdict {
            case .pass: return
            case .fail: Glibc.exit(1)
            case .inconclusive: if strict { Glibc.exit(1) }
            }
        }
    }
}

extension Profile {
    /// Removes what is no figure of a lane; returns it in words.
    fileprivate mutating func keepFigures() -> [String] {
        let unseen = (faults.isEmpty ? [] : ["faults"]) + networkKeys.map { "\"\($0)\"" }
        faults = []
        (mtu, ipv6, translation) = (nil, nil, nil)
        return unseen
    }
}
