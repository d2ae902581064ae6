// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

/// The lookup of one name, without I/O: decides which query to send to which server, and makes a resolution of the
/// responses.
///
/// Both families are queried at the same time. Within a family, a failed server is followed by the next one, for as
/// many rounds as the configuration says. A definite response (an address, no address of the family, no such name) ends
/// the queries of that family. If the name does not exist, the next candidate of the search list follows.
struct NameLookup {
    /// A query to a server.
    struct Ask: Hashable {
        var question: DNSQuestion
        var server: IPAddress

        var family: IPAddress.Family { question.type == .a ? .ipv4 : .ipv6 }
    }

    private struct Progress {
        /// The number of queries for the current candidate, over all servers and rounds.
        var asked = 0
        /// The most informative observation for the current candidate, and for all candidates.
        var best: Observation?
        var bestOfAll: Observation?
        var isOver = false
    }

    private let configuration: ResolverConfiguration
    private var candidates: ArraySlice<String>
    private var progress: [IPAddress.Family: Progress] = [.ipv4: Progress(), .ipv6: Progress()]
    /// The result; nil until the lookup has ended.
    private(set) var resolution: Resolution?

    init(_ name: String, _ configuration: ResolverConfiguration) {
        self.configuration = configuration
        candidates = configuration.candidates(for: name)[...]
    }

    /// Returns the first queries for the current candidate.
    mutating func begin() -> [Ask] {
        progress = progress.mapValues { Progress(bestOfAll: $0.bestOfAll) }
        return IPAddress.Family.allCases.compactMap { next($0) }
    }

    /// Processes the response to the query for `family`; returns the next queries.
    ///
    /// - Parameter hasTime: whether there is time for another query.
    mutating func answer(_ observation: Observation, for family: IPAddress.Family, hasTime: Bool) -> [Ask] {
        guard resolution == nil, var state = progress[family], !state.isOver else { return [] }
        let weight = observation.weight
        if weight >= state.best?.weight ?? -1 { state.best = observation }
        if weight >= state.bestOfAll?.weight ?? -1 { state.bestOfAll = observation }
        state.isOver =
            observation.isFinal || !hasTime || state.asked >= configuration.servers.count * configuration.attempts
        progress[family] = state
        if !state.isOver { return [next(family)].compactMap(\.self) }
        guard progress.values.allSatisfy(\.isOver) else { return [] }
        return conclude(hasTime)
    }

    private mutating func next(_ family: IPAddress.Family) -> Ask? {
        guard let name = candidates.first, let asked = progress[family]?.asked else { return nil }
        progress[family]?.asked += 1
        return Ask(
            question: DNSQuestion(name, family == .ipv4 ? .a : .aaaa),
            server: configuration.servers[asked % configuration.servers.count]
        )
    }

    /// Ends the lookup, or returns the first queries for the next candidate if the current one does not exist.
    private mutating func conclude(_ hasTime: Bool) -> [Ask] {
        let isUnknown = progress.values.allSatisfy { $0.best.map { $0.addresses.isEmpty && $0.isFinal } ?? false }
        if isUnknown, hasTime, candidates.count > 1 {
            candidates.removeFirst()
            return begin()
        }
        var result = Resolution()
        for family in IPAddress.Family.allCases {
            guard let observation = progress[family]?.bestOfAll else { continue }
            result.observations[family] = observation
            result.addresses += observation.addresses
            result.reasons[family] = observation.reason
            result.timeToLive = [result.timeToLive, observation.timeToLive].compactMap(\.self).min()
        }
        resolution = result
        return []
    }
}

extension Observation {
    fileprivate var reason: Reason? {
        switch finding {
        case .answered: nil
        case .failed(let reason), .impossible(let reason), .nothing(let reason): reason
        }
    }

    /// How informative the observation is; an answer is the most informative.
    fileprivate var weight: Int { reason?.weight ?? .max }

    /// Whether the observation is a definite response about the name.
    fileprivate var isFinal: Bool { weight >= Reason.invalidName.weight }
}
