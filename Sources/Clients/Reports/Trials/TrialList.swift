// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// All runs of a matrix, or of `run --repeat`: each network with each seed, one network after the other.
///
/// A shard runs some of them. The list is the same for all shards, and so are the seeds.
package struct TrialList: Hashable, Sendable {
    /// The maximum number of runs: each needs some memory until the last one has ended.
    package static let maximumCount = 100_000

    package struct Network: Hashable, Sendable {
        package var name: String
        /// The name of the network's directory below that of the report; empty for the only network of `run --repeat`,
        /// whose runs have their directories there.
        package var directory: String
        /// The SHA-256 of the conditions: another profile of the same name is another network.
        package var digest: String

        package init(name: String, directory: String, digest: String) {
            (self.name, self.directory, self.digest) = (name, directory, digest)
        }
    }

    /// One run.
    package struct Entry: Hashable, Sendable {
        /// The run's index in the list.
        package let index: Int
        /// The index of the network.
        package let network: Int
        /// The run's number among those of its network, from 1.
        package let number: Int
        /// The seed; nil if nothing in the run is random.
        package let seed: UInt64?
        /// The run's name in tables.
        package let name: String
        /// The path of the run's directory, relative to that of the report.
        package let directory: String
    }

    package private(set) var networks: [Network]
    /// The number of runs of each network.
    package private(set) var repetitions: Int
    /// The seed of the first run of each network; nil if nothing is random.
    package private(set) var seed: UInt64?

    package init(_ networks: [Network], repetitions: Int = 1, seed: UInt64?) {
        (self.networks, self.repetitions, self.seed) = (networks, repetitions, seed)
    }

    /// Whether the list is a matrix's; otherwise, it is that of `run --repeat`.
    package var isMatrix: Bool { networks.first?.directory.isEmpty != true }

    package var count: Int { networks.count * repetitions }

    package subscript(index: Int) -> Entry {
        let (network, offset) = index.quotientAndRemainder(dividingBy: repetitions)
        // All networks have the same seeds, so that luck makes no difference between them.
        let seed = seed.map { $0 &+ UInt64(offset) }
        let (name, directory) = (networks[network].name, networks[network].directory)
        let isOnlyNetwork = directory.isEmpty
        let isNumbered = isOnlyNetwork || repetitions > 1
        let run = "run \(offset + 1)" + (seed.map { ", seed \($0)" } ?? "")
        return Entry(
            index: index,
            network: network,
            number: offset + 1,
            seed: seed,
            name: ((isOnlyNetwork ? [] : [name]) + (isNumbered ? [run] : [])).joined(separator: ", "),
            directory: ((isOnlyNetwork ? [] : [directory]) + (isNumbered ? ["run-\(offset + 1)"] : []))
                .joined(separator: "/")
        )
    }
}

extension TrialList: JSONObject {
    package static let blank = TrialList([], seed: nil)

    /// Reading refuses a list that no command makes: its directories would be looked for elsewhere.
    package mutating func describe(_ members: inout JSONMembers) {
        members.required("networks", &networks)
        members.required("repetitions", &repetitions)
        members.optional("seed", &seed)
        let directories = Set(networks.map(\.directory))
        let isPossible =
            !networks.isEmpty && repetitions >= 1 && repetitions <= Self.maximumCount / networks.count
            && directories.count == networks.count
            && directories.allSatisfy { $0.isEmpty ? networks.count == 1 : !$0.hasPrefix(".") && !$0.contains("/") }
        if !isPossible { members.refuse() }
    }
}

extension TrialList.Network: JSONObject {
    package static let blank = Self(name: "", directory: "", digest: "")

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("name", &name)
        members.required("directory", &directory)
        members.required("digest", &digest)
    }
}
