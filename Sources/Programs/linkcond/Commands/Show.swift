// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import ProfileCatalog

extension Linkcond {
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            .show,
            abstract: "Show a profile, a scenario or a population in words, or as JSON.",
            discussion:
                "Draws rate and delay over time where they change, and the distribution of a delay that varies.",
            examples: "show slow-net",
            "show 3g --tc -i eth0"
        )

        @OptionGroup var profileOptions: ProfileOptions

        @Flag(name: .long, help: "Print JSON that \"apply\" accepts.")
        var json = false

        @Flag(name: .long, help: "Print the equivalent ip and tc commands for the interface given with -i.")
        var tc = false

        @Option(name: .interface, help: ArgumentHelp("The interface, for --tc.", valueName: "DEV"))
        var interface: String?

        @OptionGroup(title: "Link") var traffic: TrafficOptions
        @OptionGroup(title: "Interface") var facing: FacingOptions
        @OptionGroup var rule: RuleOptions
        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        mutating func validate() throws {
            guard !tc || interface != nil else { throw ValidationError("--tc needs an interface: -i DEV.") }
        }

        func run() throws {
            let loaded: LoadedProfile
            switch try profileOptions.loadFile() {
            case .profile(let profile): loaded = profile
            case .scenario(let scenario): return try show(scenario)
            case .population(let population):
                guard !tc else { throw Failure(.usage, "--tc is for a profile; a population has several") }
                return Console.data(population.lines, or: population.population.json, asJSON: json)
            case .rules(let rules):
                throw Failure(.usage, "\(rules.origin) has rules for parts of the traffic: \"run --rules\" takes it")
            }
            if let interface, tc {
                var request = try rule.request(loaded, traffic.selection())
                request.facing = facing.facing
                try namespace.conditioner("show").printCommands(request, on: interface, isVerbose: rule.verbose)
            } else {
                try Console.data(loaded.lines(), or: loaded.profile.json, asJSON: json)
            }
        }

        private func show(_ scenario: LoadedScenario) throws {
            guard !tc else { throw Failure(.usage, "--tc is for a profile; a scenario has several") }
            Console.data(ScenarioTimeline(scenario).lines, or: scenario.scenario.json, asJSON: json)
        }
    }
}

extension LoadedPopulation {
    /// The population as text, with a row for each network.
    fileprivate var lines: [OutputLine] {
        let table = Table(header: ["SHARE", "NETWORK"], of: population.networks) { ["\($0.share)", $0.profile.text] }
        let source = population.source.map { [OutputLine("  source    \($0)")] } ?? []
        return [OutputLine(heading: population.name)] + table.lines(indent: 2) + source
            + [OutputLine("  from      \(origin)")]
    }
}

extension LoadedProfile {
    /// The profile as text, with one fact per line.
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
        add("network", profile.networkWords.isEmpty ? nil : profile.networkWords.joined(separator: ", "))
        for (index, fault) in profile.faults.enumerated() { add("fault \(index + 1)", fault.words) }
        add("seed", profile.seed.map(String.init))
        for step in profile.schedule?.steps ?? [] {
            let changes = [("downlink", step.downlink), ("uplink", step.uplink)].compactMap { name, impairments in
                impairments.map { "\(name) \($0.words.joined(separator: ", "))" }
            }
            add("at \(step.at.text)", changes.isEmpty ? "as above" : changes.joined(separator: "; "))
        }
        add("repeats", profile.schedule?.repeat.map { "every \($0.text)" })
        let recorded = try self.traces()
        for (reference, trace) in recorded {
            let mean = trace.meanRate.map { "\($0) on average" } ?? "no length"
            add("trace", "\(reference.file): \(trace.length.text), \(mean), longest pause \(trace.longestPause.text)")
        }
        add("source", profile.source)
        add("from", "\(origin)")
        let recordings = Dictionary(recorded.map { ($0.reference, $0.trace) }, uniquingKeysWith: { first, _ in first })
        return lines + LinkCharts(profile, recordings, width: TerminalSize.outputColumns).lines
    }
}
