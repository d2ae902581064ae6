// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog
import TrafficControl

extension Linkcond {
    /// `linkcond show PROFILE`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            _superCommandName: "linkcond",
            abstract: "Show a profile as text, JSON, or tc and ip commands; or a scenario as a timeline."
        )

        @OptionGroup var wanted: ProfileOptions

        @Flag(name: .long, help: "Print JSON that \"apply\" accepts.")
        var json = false

        @Flag(name: .long, help: "Print the equivalent ip and tc commands for the interface given with -i.")
        var tc = false

        @Option(name: [.customShort("i"), .customLong("interface")], help: "The interface, for --tc.")
        var interface: String?

        @OptionGroup var traffic: TrafficOptions
        @OptionGroup var rule: RuleOptions
        @OptionGroup var namespace: NamespaceOptions

        mutating func validate() throws {
            guard !tc || interface != nil else { throw ValidationError("--tc needs an interface: -i DEV.") }
        }

        func run() throws {
            let loaded: LoadedProfile
            switch try wanted.loadFile() {
            case .profile(let profile): loaded = profile
            case .scenario(let scenario): return try show(scenario)
            }
            if let interface, tc {
                var request = try rule.request(loaded, traffic.selection())
                // The netem engine, unless another one is requested.
                request.engine = request.engine ?? .netem
                let conditioner = try namespace.conditioner("show")
                let (plan, notes) = try Failure.catching { try conditioner.plan(request, on: interface) }
                Console.data(plan.commands.map { OutputLine($0) })
                for note in notes { Console.notes("note: \(note)") }
            } else if json {
                Console.data(loaded.profile.json)
            } else {
                Console.data(try loaded.lines())
            }
        }

        private func show(_ scenario: LoadedScenario) throws {
            guard !tc else { throw Failure(.usage, "--tc is for a profile; a scenario has several") }
            if json { return Console.data(scenario.scenario.json) }
            Console.data(ScenarioTimeline(scenario).lines)
        }
    }
}

extension LoadedProfile {
    /// The profile as text, one fact a line.
    fileprivate func lines() throws -> [OutputLine] {
        var lines = [OutputLine(heading: profile.name)]
        if let summary = profile.summary { lines.append("  \(summary)") }
        func add(_ name: String, _ text: String?) {
            guard let text else { return }
            lines.append(OutputLine("  " + name + String(repeating: " ", count: max(10 - name.count, 1)) + text))
        }
        add("downlink", profile.downlink.map { $0.words.joined(separator: ", ") } ?? "untouched")
        add("uplink", profile.uplink.map { $0.words.joined(separator: ", ") } ?? "untouched")
        add("dns", profile.dns.map { "\($0.delay.text) more for packets to port 53" })
        add("seed", profile.seed.map(String.init))
        for step in profile.schedule?.steps ?? [] {
            let changes = [("downlink", step.downlink), ("uplink", step.uplink)].compactMap { name, impairments in
                impairments.map { "\(name) \($0.words.joined(separator: ", "))" }
            }
            add("at \(step.at.text)", changes.isEmpty ? "as above" : changes.joined(separator: "; "))
        }
        add("repeats", profile.schedule?.repeat.map { "every \($0.text)" })
        for (reference, trace) in try Failure.catching({ try traces() }) {
            let mean = trace.meanRate.map { "\($0) on average" } ?? "no length"
            add("trace", "\(reference.file): \(trace.length.text), \(mean), longest pause \(trace.longestPause.text)")
        }
        add("source", profile.source)
        add("from", "\(origin)")
        return lines
    }
}
