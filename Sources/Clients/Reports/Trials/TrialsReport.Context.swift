// SPDX-License-Identifier: Apache-2.0

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
