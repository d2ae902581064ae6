// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Draws changes of the network.
extension RandomDraws {
    /// Draws a change of the kind; nil if the kind is not a change of the network.
    mutating func change(_ kind: DisturbanceKind, _ client: ObservedClient) -> Disturbance.Effect? {
        switch kind {
        case .linkDown: return .linkDown
        case .newAddress: return .newAddress
        case .natRebind: return .natRebind
        case .idleNAT:
            var translation = AddressTranslation()
            translation.idle = max(part(of: client.duration, 0.05...0.3), .milliseconds(100))
            translation.filtering = pick([.endpoint, .address, .addressAndPort]) ?? .endpoint
            return .nat(translation)
        case .smallMTU: return .mtu(pick([1280, 1400, 1420]) ?? 1280)
        case .lostIPv6: return .ipv6(pick([.dead, .absent]) ?? .dead)
        default: return nil
        }
    }
}
