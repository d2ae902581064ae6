// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

extension Impairments {
    /// Impairments with what `change` sets.
    static func with(_ change: (inout Impairments) -> Void) -> Impairments {
        var impairments = Impairments()
        change(&impairments)
        return impairments
    }

    static func delay(_ milliseconds: Int) -> Impairments { with { $0.delay = .milliseconds(milliseconds) } }
    static func rate(_ bitsPerSecond: UInt64) -> Impairments {
        with { $0.rate = BitRate(bitsPerSecond: bitsPerSecond) }
    }
    static func loss(_ percent: Double) -> Impairments { with { $0.loss = .random(.percent(percent)) } }
}

extension Probability {
    static func percent(_ percent: Double) -> Probability { Probability(fraction: percent / 100) }
}

extension Profile {
    /// A profile with these parts.
    init(_ name: String, downlink: Impairments? = nil, uplink: Impairments? = nil, dns: Duration? = nil) {
        self.init(name: name)
        self.downlink = downlink
        self.uplink = uplink
        self.dns = dns.map(DNSImpairment.init(delay:))
    }

    static let slowNet: Profile = {
        let link = Impairments.with {
            $0.rate = BitRate(bitsPerSecond: 32000)
            $0.delay = .milliseconds(100)
        }
        return Profile("Slow Net", downlink: link, uplink: link, dns: .milliseconds(200))
    }()

    /// Only arriving packets are lost.
    static let blackHole = Profile("Black Hole", downlink: .loss(100))

    /// The same delay both ways.
    static func delay(_ milliseconds: Int) -> Profile {
        Profile("Delay \(milliseconds)", downlink: .delay(milliseconds), uplink: .delay(milliseconds))
    }
}
