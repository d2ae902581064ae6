// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
package import LinkProfiles

extension TrialsReport {
    /// What the runs have in common.
    package struct Context: Hashable, Sendable {
        /// The title of the report: "Matrix" or "Repeated runs".
        package var title: String
        package var command: [String]
        /// The command line that makes all runs.
        package var repetition: [String]
        /// The version of linkcond.
        package var version: String
        /// The options that affect the results.
        package var options: [String]
        /// Whether an inconclusive expectation is a failure.
        package var isStrict: Bool
        /// All runs, of which this report may have a shard.
        package var list: TrialList
        /// The shard of the list, such as "2/4"; nil for the whole.
        package var shard: String?
        /// The SHA-256 of the report whose durations balance the shards; nil if they are not balanced.
        package var timings: String?
        /// The networks with their shares of a population; nil without shares.
        package var population: Population?

        package init(
            title: String,
            command: [String],
            repetition: [String],
            version: String,
            options: [String] = [],
            isStrict: Bool = false,
            list: TrialList,
            shard: String? = nil,
            timings: String? = nil,
            population: Population? = nil
        ) {
            (self.title, self.command, self.repetition, self.version) = (title, command, repetition, version)
            (self.options, self.isStrict, self.list) = (options, isStrict, list)
            (self.shard, self.timings) = (shard, timings)
            self.population = population.flatMap(Self.withoutPositions)
        }

        /// The population without the places of its texts, which differ from one file to another.
        fileprivate static func withoutPositions(_ population: Population) -> Population? {
            try? Population(json: population.json)
        }
    }

    /// The share of the population that the client survives; nil without a population.
    package var coverage: Coverage? {
        context.population.map { population in
            let names = population.networks.map(\.profile.text)
            return Coverage(
                population,
                results: zip(names, tally.networks).map { (network: $0, survived: $1.survived, decided: $1.decided) }
            )
        }
    }

    /// The results in the format of summary.json.
    ///
    /// - Parameter directory: the directory of this report, which contains the runs' directories; nil if none is kept.
    package func json(below directory: String?) -> JSON {
        head.replacing("runs", .list(trials.map { $0.json(below: directory) }))
    }

    /// summary.json, except for the digest at its end, in pieces: the runs may be too many for the memory.
    package func writeSummary(_ runs: some Sequence<TrialText>, to write: (String) -> Void) {
        write(String(head.text.dropLast("\n}".count)) + ",\n  \"runs\": [")
        var separator = "\n"
        for run in runs {
            write(separator + run.summary)
            separator = ",\n"
        }
        write("]")
    }

    /// All members but the runs.
    private var head: JSON {
        let members: [(String, JSON?)] =
            [("version", .number(Self.formatVersion)), ("verdict", .text(verdict.rawValue))]
            + context.json.members.map { ($0.name, $0.value) }
            + [("missing", missing.isEmpty ? nil : missing.json), ("coverage", coverage?.json)]
        return JSON(members: members)
    }

    /// The version of the format of summary.json.
    package static let formatVersion = 1
}

extension TrialsReport.Context: JSONObject {
    package static let blank = Self(title: "", command: [], repetition: [], version: "", list: .blank)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("title", &title)
        members.required("command", &command)
        members.required("repeat", &repetition)
        members.required("linkcond", &version)
        members.required("options", &options)
        members.required("strict", &isStrict)
        members.required("trials", &list)
        members.optional("shard", &shard)
        members.optional("timings", &timings)
        members.lenient("weights", &population, write: \.json) { json in
            (try? Population(json: json)).flatMap(Self.withoutPositions)
        }
        // Each network of a population has its share.
        if let population, population.networks.count != list.networks.count { members.refuse() }
    }
}

/// The parts of one run in the files of several runs.
package struct TrialText: Sendable {
    /// The run in summary.json.
    package let summary: String
    /// The run in junit.xml.
    package let suite: String
    /// The numbers of test cases, failures, errors and skipped cases in the suite.
    package let counts: [Int]

    package init(summary: String, suite: String, counts: [Int]) {
        (self.summary, self.suite, self.counts) = (summary, suite, counts)
    }

    package init(_ trial: TrialsReport.Trial, strict isStrict: Bool) {
        summary = trial.json(below: "").text
        (suite, counts) = JUnitFile.suite(of: trial, strict: isStrict)
    }
}

extension TrialsReport.Trial {
    fileprivate func json(below parent: String?) -> JSON {
        let directory = directory.flatMap { name in parent.map { $0.isEmpty ? name : "\($0)/\(name)" } }
        return JSON(
            ("index", .number(index)),
            ("name", .text(name)),
            ("status", .number(status)),
            ("failure", .text(failure)),
            ("directory", .text(directory)),
            ("seconds", .seconds(duration)),
            ("lastLines", lastLines.isEmpty ? nil : lastLines.json),
            ("reportDigest", .text(digest)),
            ("report", report?.json)
        )
    }

    /// Reads a run from summary.json; nil if a member is missing or is not as expected.
    ///
    /// - Parameter log: the name of the file with a command's output.
    package init?(json: JSON, log: String) {
        guard let index: Int = json.required("index"), let name: String = json.required("name"),
            let status: Int32? = json.optional("status"), let failure: String? = json.optional("failure"),
            let directory: String? = json.optional("directory"), let digest: String? = json.optional("reportDigest"),
            let report: RunReport? = json.optional("report"), case .number(let seconds)? = json["seconds"]?.value,
            // Of a larger number, no Duration can be made.
            let duration = Double(seconds), 0...1e9 ~= duration, (report == nil) == (status == nil)
        else { return nil }
        self.init(
            index: index,
            name: name,
            directory: directory,
            log: log,
            status: status,
            failure: failure,
            report: report,
            duration: .seconds(duration),
            lastLines: json.required("lastLines") ?? [],
            digest: digest
        )
    }
}
