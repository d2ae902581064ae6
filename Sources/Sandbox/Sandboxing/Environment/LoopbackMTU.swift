// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
internal import Netlink
internal import PacketPump

/// The MTU of a sandbox's loopback. It is the largest that the engine carries, as programs expect on loopback, until
/// conditions first need packets as on a wire. From then on it is 1,500, the MTU of most links: a larger packet would
/// take seconds on a slow link, and one loss would be one of 64 kB. It never grows again.
struct LoopbackMTU {
    private let connection: RouteConnection
    private var current: UInt32 = 65_536

    init(_ connection: RouteConnection) { self.connection = connection }

    /// Sets the MTU for the first conditions, before the engine is chosen.
    mutating func prepare(for sandbox: Sandbox) throws(ConditioningError) {
        try set(sandbox.needsWirePackets ? NetworkSettings.mtu : UInt32(TapDevice.largestMTU))
    }

    /// Restores the kernel's default, which netem can carry, unless packets must be as on a wire.
    mutating func restore() throws(ConditioningError) {
        if current > NetworkSettings.mtu { try set(65_536) }
    }

    /// Lowers the MTU if conditions of these interfaces need that.
    mutating func fit(_ profile: Profile, on devices: [String]) throws(ConditioningError) {
        guard current > NetworkSettings.mtu, devices.contains("lo"), profile.needsWirePackets else { return }
        try set(NetworkSettings.mtu)
    }

    private mutating func set(_ mtu: UInt32) throws(ConditioningError) {
        do {
            try connection.perform(LinkRequest.setMTU(mtu, of: "lo"))
        } catch {
            throw ConditioningError(error)
        }
        current = mtu
    }
}

extension Sandbox {
    /// Whether loopback needs packets as on a wire from the start: for its conditions, or for a step that waits for a
    /// number of bytes.
    fileprivate var needsWirePackets: Bool {
        let requests = [links[0].request].compactMap(\.self) + (conditions?.rules ?? [])
        let countsBytes = conditions?.scenario?.steps.contains { if case .bytes = $0.trigger { true } else { false } }
        return countsBytes == true || requests.contains { $0.profile.needsWirePackets }
    }
}
