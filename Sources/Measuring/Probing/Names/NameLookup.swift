// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

/// The look-up of one name, without its I/O: says what to ask whom, and makes a resolution of the answers.
///
/// Both families are asked for at the same time. Within each, a server that fails is followed by the next one, as
/// often as the configuration says; what a server knows (an address, that there is none, that there is no such name)
/// is not asked again. A name that does not exist is followed by the next candidate of the search list.
struct NameLookup {
    /// A question to a server.
    struct Ask: Hashable {
        var question: DNSQuestion
        var server: IPAddress

        var family: IPAddress.Family { question.type == .a ? .ipv4 : .ipv6 }
    }

    private struct Progress {
        /// The number of servers that have been asked for this candidate, over all attempts.
        var asked = 0
        /// The most telling of the observations of this candidate, and of all.
        var best: Observation?
        var bestOfAll: Observation?
        var isOver = false
    }

    private let configuration: ResolverConfiguration
    private var candidates: ArraySlice<String>
    private var progress: [IPAddress.Family: Progress] = [.ipv4: Progress(), .ipv6: Progress()]
    /// The end, once it is there.
    private(set) var resolution: Resolution?

    init(_ name: String, _ configuration: ResolverConfiguration) {
        self.configuration = configuration
        candidates = configuration.candidates(for: name)[...]
    }

    /// The first queries.
    mutating func begin() -> [Ask] {
        progress = progress.mapValues { Progress(bestOfAll: $0.bestOfAll) }
        return IPAddress.Family.allCases.compactMap { next($0) }
    }

    /// Processes the answer to what was asked for `family`; gives what to ask next.
    ///
    /// - Parameter hasTime: whether there is time for another question.
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

    /// Ends, or goes on with the next candidate, where this one does not exist.
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

    /// How much it tells; most of all an answer.
    fileprivate var weight: Int { reason?.weight ?? .max }

    /// Whether it is what a server knows.
    fileprivate var isFinal: Bool { weight >= Reason.invalidName.weight }
}
