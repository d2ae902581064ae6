// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import PacketPump

/// Interfaces of a sandbox that have the same conditions: its loopback and its uplink, or only one interface.
final class ConditionedInterfaces {
    /// The name of the interface, if each has conditions of its own; otherwise nil.
    let path: String?
    let devices: [String]
    /// The uplink among the interfaces; nil if there is none.
    let uplink: UplinkDevice?
    /// The conditions in effect; nil before the first.
    var current: (request: RuleRequest, hasLanes: Bool)?
    /// The conditions that are suspended, and who asked for them; nil if none are.
    var suspended: (request: RuleRequest, origin: ConditionsHits.Origin)?
    /// The conditions that are counted, the pump's TAP device of each interface, and the start; nil if no pump carries
    /// them.
    var counted: (conditions: ConditionsHits.Conditions, taps: [String], since: Duration)?

    init(_ path: String?, _ devices: [String], _ uplinks: [UplinkDevice]) {
        (self.path, self.devices) = (path, devices)
        uplink = uplinks.first { devices.contains($0.name) }
    }

    /// The name of the profile in effect, with the interface, if any; nil before the first.
    var profileName: String? { current.map { named($0.request.profile.name) } }

    /// The name of a profile, with the interface on which it is in effect, if any.
    func named(_ profile: String) -> String { RunConditions.words(profile, on: path) }

    /// Whether the link is down, or one direction loses every packet, so that no data or no acknowledgement arrives.
    var losesEverything: Bool {
        guard uplink?.state.isUp != false, let profile = current?.request.profile else {
            return uplink?.state.isUp == false
        }
        return [profile.uplink, profile.downlink].contains { $0?.loss?.meanLoss == 1 }
    }

    /// Changes of the uplink's network by a scenario and the profile, in words.
    var networkWords: [String] {
        guard let state = uplink?.state else { return [] }
        let addresses = state.addresses.map { "address \($0.map(\.description).joined(separator: ", "))" }
        let profile = current?.request.profile.networkWords ?? []
        return (state.isUp ? [] : ["link down"]) + [addresses].compactMap { $0 } + profile
    }
}
