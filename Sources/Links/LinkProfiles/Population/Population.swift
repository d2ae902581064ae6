// SPDX-License-Identifier: Apache-2.0

/// Networks with their shares of one population, such as the mobile connections of a country.
public struct Population: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The origin of the shares, in one line.
    public var source: String?
    /// The networks, each once; their shares add up to 100 %, up to rounding.
    public var networks: [Network]

    /// A network and its share.
    public struct Network: Hashable, Sendable {
        /// The name of a profile or a scenario, or the path of its file.
        public var profile: LocatedText
        /// The share of the population.
        public var share: Probability

        /// Makes a network.
        public init(profile: LocatedText, share: Probability) { (self.profile, self.share) = (profile, share) }
    }

    /// Makes a population.
    public init(name: String, source: String? = nil, networks: [Network]) {
        (self.name, self.source, self.networks) = (name, source, networks)
    }

    /// The population as JSON; reading it gives the same population.
    public var json: JSON {
        JSON(
            ("name", .text(name)),
            ("source", .text(source)),
            (
                "networks",
                .list(networks.map { JSON(("profile", .text($0.profile.text)), ("share", .text($0.share))) })
            )
        )
    }
}
