// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import TestKit

/// Conditions, and what is sent through them.
struct Link: Sendable {
    /// Those that are measured side by side; the waves follow each other.
    enum Wave: Sendable {
        /// Few packets, whose times matter.
        case quiet
        /// Many packets.
        case busy
        /// Links that are filled.
        case full
        /// A link that takes all that the machine can do.
        case alone
    }

    let name: String
    let profile: Profile
    let wave: Wave
    let uplink: ProbeTraffic
    let downlink: ProbeTraffic

    /// Sends the same both ways.
    init(_ profile: Profile, _ wave: Wave, _ traffic: ProbeTraffic, name: String? = nil) {
        self.init(profile, wave, uplink: traffic, downlink: traffic, name: name)
    }

    init(_ profile: Profile, _ wave: Wave, uplink: ProbeTraffic, downlink: ProbeTraffic, name: String? = nil) {
        self.name = name ?? profile.name
        self.profile = profile
        self.wave = wave
        self.uplink = uplink
        self.downlink = downlink
    }

    func traffic(_ direction: Direction) -> ProbeTraffic { direction == .uplink ? uplink : downlink }

    /// Whether more is sent than the rate lets through.
    var isOverload: Bool { wave == .full || wave == .alone }

    /// What is measured of its packets, as link-probe has it.
    var kind: String {
        let figures = [profile.uplink, profile.downlink].compactMap { $0 }
        if isOverload { return "full" }
        return isECNCapable ? "marks" : figures.contains { $0.corrupt != nil } ? "damage" : "light"
    }

    /// Whether packets may be marked instead of lost.
    var isECNCapable: Bool { [profile.uplink, profile.downlink].contains { $0?.ecn == true } }

    /// What a direction is judged by, as far as its figures and what is sent allow.
    func aspects(_ direction: Direction) -> [Aspect] {
        let figures = (direction == .uplink ? profile.uplink : profile.downlink) ?? Impairments()
        let jitter = figures.jitter
        var aspects: [Aspect] = isOverload ? [.filling, .rate] : [.meanDelay, .losses]
        if jitter?.ordered ?? true { aspects.append(.overtaken) }
        switch figures.loss {
        case .gilbertElliott, .fourState: aspects.append(.meanBurst)
        case .random, .limited, nil: break
        }
        if isOverload, figures.queue != nil { aspects.append(.longestDelay) }
        if figures.duplicate != nil { aspects.append(.duplicates) }
        if figures.corrupt != nil { aspects.append(.damaged) }
        if figures.ecn == true { aspects.append(.marked) }
        if !isOverload, let jitter {
            // Ordered packets take their delays from those before them, unless they are this far apart.
            let isApart = traffic(direction).interval >= jitter.amount * 4 && traffic(direction).group == 1
            // Smaller ones drown in the machine's own.
            if isApart || (!jitter.ordered && jitter.amount >= .milliseconds(10)) { aspects.append(.shape) }
        }
        return aspects
    }

    /// The chance that a right engine fails any of the suite: one in a thousand, shared by all that is left to chance.
    static let budget = ErrorBudget(
        checks: Engine.allCases.count
            * all.reduce(0) { sum, link in
                sum + Direction.allCases.reduce(0) { $0 + link.aspects($1).count(where: \.isStatistical) }
            }
    )
}
