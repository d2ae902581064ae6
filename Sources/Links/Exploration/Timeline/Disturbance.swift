// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A disturbance of the network: its effect, start and length.
package struct Disturbance: Hashable, Sendable {
    /// The effect of a disturbance.
    package enum Effect: Hashable, Sendable {
        /// The figures override the link's in one direction, or in both if the direction is nil.
        case figures(Direction?, Impairments)
        /// DNS queries are delayed.
        case dns(Duration)
        /// A fault of some packets.
        case fault(Fault)
        /// The uplink has this MTU.
        case mtu(Int)
        /// IPv6 is dead or absent.
        case ipv6(IPv6Support)
        /// A NAT forgets idle flows.
        case nat(AddressTranslation)
        /// The uplink has no carrier.
        case linkDown
        /// The host gets new addresses, at the start; has no length.
        case newAddress
        /// The NAT's mappings get new ports, at the start; has no length.
        case natRebind
    }

    /// The kind of disturbance, for tables and labels.
    package var kind: DisturbanceKind
    package var effect: Effect
    /// The time from the client's start at which the disturbance starts.
    package var start: Duration
    /// The duration; nil if the disturbance lasts until the client's end.
    package var length: Duration?

    package init(_ kind: DisturbanceKind, _ effect: Effect, start: Duration = .zero, length: Duration? = nil) {
        (self.kind, self.effect, self.start, self.length) = (kind, effect, start, length)
    }

    /// The time at which the disturbance ends; nil if it never ends, or is momentary.
    package var end: Duration? { isMomentary ? nil : length.map { start + $0 } }

    /// Whether the disturbance is a single event without a duration.
    package var isMomentary: Bool { effect == .newAddress || effect == .natRebind }

    /// Whether the disturbance needs a step of the scenario even at time zero: it changes the network, which a profile
    /// cannot.
    var needsStep: Bool { isMomentary || effect == .linkDown }

    /// Adds the disturbance to a profile, unless it needs a step.
    func apply(to profile: inout Profile) {
        switch effect {
        case .figures(let direction, let figures):
            for each in Direction.allCases where direction == nil || direction == each {
                let path = each == .downlink ? \Profile.downlink : \Profile.uplink
                profile[keyPath: path] = figures.overriding(profile[keyPath: path] ?? Impairments())
            }
        case .dns(let delay): profile.dns = DNSImpairment(delay: delay)
        case .fault(let fault): profile.faults.insert(fault, at: 0)
        case .mtu(let size): profile.mtu = size
        case .ipv6(let support): profile.ipv6 = support
        case .nat(let translation): profile.translation = translation
        case .linkDown, .newAddress, .natRebind: break
        }
    }
}
