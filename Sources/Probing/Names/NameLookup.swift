// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

/// The look-up of one name, without its I/O: says what to ask whom, and makes a resolution of the answers.
///
/// Both families are asked for at the same time. Within each, a server that fails is followed by the next one, as
/// often as the configuration says; what a server knows (an address, that there is none, that there is no such name)
/// is not asked again. A name that does not exist is followed by the next candidate of the search list.
struct NameLookup {
    /// A question to a server, and the family that it is for.
    struct Ask: Hashable {
        var family: IPAddress.Family
        var question: DNSQuestion
        var server: IPAddress
    }

    /// One family's course.
    private struct Course {
        /// How many servers have been asked, over all attempts.
        var asked = 0
        var best: Observation?
        var isOver = false
    }

    private let configuration: ResolverConfiguration
    private var candidates: ArraySlice<String>
    private var courses: [IPAddress.Family: Course] = [:]
    /// What earlier candidates have shown.
    private var earlier: [IPAddress.Family: Observation] = [:]
    /// The end, once it is there.
    private(set) var resolution: Resolution?

    init(_ name: String, _ configuration: ResolverConfiguration) {
        self.configuration = configuration
        candidates = configuration.candidates(for: name)[...]
    }

    /// What to ask first.
    mutating func begin() -> [Ask] {
        courses = [.ipv4: Course(), .ipv6: Course()]
        return IPAddress.Family.allCases.compactMap { next($0) }
    }

    /// Takes the answer to what was asked for `family`; gives what to ask next.
    ///
    /// - Parameter hasTime: whether there is time for another question.
    mutating func take(_ observation: Observation, for family: IPAddress.Family, hasTime: Bool) -> [Ask] {
        guard resolution == nil, var course = courses[family], !course.isOver else { return [] }
        let weight = observation.weight
        if weight >= course.best?.weight ?? -1 { course.best = observation }
        let isFinal = weight >= Reason.invalidName.weight
        course.isOver = isFinal || !hasTime || course.asked >= configuration.servers.count * configuration.attempts
        courses[family] = course
        if !course.isOver { return [next(family)].compactMap { $0 } }
        guard courses.values.allSatisfy(\.isOver) else { return [] }
        return conclude(hasTime)
    }

    private mutating func next(_ family: IPAddress.Family) -> Ask? {
        guard let name = candidates.first, let asked = courses[family]?.asked else { return nil }
        courses[family]?.asked += 1
        return Ask(
            family: family,
            question: DNSQuestion(name, family == .ipv4 ? .a : .aaaa),
            server: configuration.servers[asked % configuration.servers.count]
        )
    }

    /// Ends, or goes on with the next candidate, where this one does not exist.
    private mutating func conclude(_ hasTime: Bool) -> [Ask] {
        for (family, course) in courses {
            guard let best = course.best else { continue }
            if best.weight >= earlier[family]?.weight ?? -1 { earlier[family] = best }
        }
        let isUnknown = courses.values.allSatisfy { course in
            course.best.map { $0.addresses.isEmpty && $0.weight >= Reason.invalidName.weight } ?? false
        }
        if isUnknown, hasTime, candidates.count > 1 {
            candidates.removeFirst()
            return begin()
        }
        var result = Resolution()
        for family in IPAddress.Family.allCases {
            guard let observation = earlier[family] else { continue }
            result.observations[family] = observation
            result.addresses += observation.addresses
            if let reason = observation.reason { result.reasons[family] = reason }
            if let time = observation.timeToLive { result.timeToLive = min(result.timeToLive ?? time, time) }
        }
        resolution = result
        return []
    }
}

extension Observation {
    /// Why it is no answer; nil for an answer.
    fileprivate var reason: Reason? {
        switch finding {
        case .answered: nil
        case .failed(let reason), .impossible(let reason), .nothing(let reason): reason
        }
    }

    /// How much it tells; most of all an answer.
    fileprivate var weight: Int { reason?.weight ?? .max }
}
