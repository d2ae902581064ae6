// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
internal import Statistics

/// The share of a population's networks that a client survives, from runs of each network with several seeds.
package struct Coverage: Hashable, Sendable {
    /// A network of the population with the results of its runs.
    package struct Network: Hashable, Sendable {
        package let name: String
        /// The share of the population, from 0 to 1.
        package let weight: Double
        /// The number of runs that the client survived.
        package let survived: Int
        /// The number of runs that survived or failed; inconclusive ones do not count.
        package let decided: Int

        /// The share of the population that is lost here, as far as the runs tell.
        package var lost: Double { decided > 0 ? weight * Double(decided - survived) / Double(decided) : 0 }
    }

    /// The name of the population.
    package let name: String
    /// The origin of its shares.
    package let source: String?
    /// The networks, in the order of the population.
    package let networks: [Network]
    private let statistic: StratifiedWilson

    /// - Parameter results: the runs of each network, by its name. A network without a result has no decided run.
    package init(_ population: Population, results: [(network: String, survived: Int, decided: Int)]) {
        (name, source) = (population.name, population.source)
        let counts = Dictionary(
            results.map { (Profile.normalized($0.network), ($0.survived, $0.decided)) },
            uniquingKeysWith: { ($0.0 + $1.0, $0.1 + $1.1) }
        )
        // Shares that are rounded may add up to 99.9 %.
        let sum = population.networks.reduce(0) { $0 + $1.share.fraction }
        networks = population.networks.map { network in
            let (survived, decided) = counts[Profile.normalized(network.profile.text)] ?? (0, 0)
            return Network(
                name: network.profile.text,
                weight: network.share.fraction / sum,
                survived: survived,
                decided: decided
            )
        }
        statistic = StratifiedWilson(
            networks.map { StratifiedWilson.Stratum(weight: $0.weight, survived: $0.survived, runs: $0.decided) }
        )
    }

    /// The observed share of the population that survives: a range if networks have no decided run.
    package var share: ClosedRange<Double> { statistic.share }

    /// The 95 % confidence interval of the share. nil if no network has two decided runs: the runs then say nothing of
    /// chance.
    package var interval: ClosedRange<Double>? { networks.contains { $0.decided > 1 } ? statistic.range : nil }

    /// The share of the population whose networks have no decided run.
    package var undecided: Double { statistic.unknown }

    /// Whether each network has a decided run.
    package var isConclusive: Bool { networks.allSatisfy { $0.decided > 0 } }

    /// The networks that cost part of the population, the most expensive first; after them those without a decided run,
    /// the largest first.
    package var costs: [Network] {
        let order = networks.enumerated().sorted { first, second in
            let (left, right) = (first.element, second.element)
            return (right.lost, right.weight, first.offset) < (left.lost, left.weight, second.offset)
        }
        return order.map(\.element).filter { $0.lost > 0 || $0.decided == 0 }
    }
}
