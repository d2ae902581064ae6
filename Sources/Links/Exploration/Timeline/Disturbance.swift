// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A disturbance: something goes wrong for a time.
package struct Disturbance: Hashable, Sendable {
    /// The effect of a disturbance.
    package enum Effect: Hashable, Sendable {
        /// A direction has these figures instead of its own; nil for both directions.
        case figures(Direction?, Impairments)
        /// Queries wait.
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
        /// The host gets other addresses: at a moment.
        case newAddress
        /// The NAT's mappings get other ports: at a moment.
        case natRebind
    }

    /// The kind of disturbance, for tables and labels.
    package var kind: DisturbanceKind
    package var effect: Effect
    /// The time at which it begins; zero is from the start.
    package var start: Duration
    /// The length; nil for until the end.
    package var length: Duration?

    package init(_ kind: DisturbanceKind, _ effect: Effect, start: Duration = .zero, length: Duration? = nil) {
        (self.kind, self.effect, self.start, self.length) = (kind, effect, start, length)
    }

    /// The time at which it ends; nil for never, and for what happens at a moment.
    package var end: Duration? { isMomentary ? nil : length.map { start + $0 } }

    /// Whether it happens at a moment and does not last.
    package var isMomentary: Bool { effect == .newAddress || effect == .natRebind }

    /// Whether it changes the network and not the conditions, which takes a step even from the start.
    var needsStep: Bool { isMomentary || effect == .linkDown }

    /// Adds it to the conditions of a profile.
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
