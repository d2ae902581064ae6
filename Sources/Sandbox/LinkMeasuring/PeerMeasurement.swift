// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinkProbes
package import LinkProfiles
internal import LinkVerification
internal import LinuxSystem

/// The measurement of the path to another machine, on which "linkcond reflect" runs.
package struct PeerMeasurement {
    private let address: PeerAddress
    private let device: String?
    private let key: ReflectionKey
    /// The rate of the profile's uplink; nil for no limit.
    private let uplink: BitRate?

    /// - Parameter device: the interface that leads to the peer; nil for the one of the route.
    package init(_ address: PeerAddress, device: String?, _ key: ReflectionKey, _ profile: Profile) {
        (self.address, self.device, self.key) = (address, device, key)
        uplink = profile.uplink?.rate
    }

    /// Whether a peer's link can be compared with the profile. A profile that changes with time cannot: its start is
    /// unknown.
    package static func canMeasure(_ profile: Profile) -> Bool {
        profile.schedule == nil && profile.uplink?.trace == nil && profile.downlink?.trace == nil
    }

    /// The phases that can be measured. Super-packets are left out if frames may be longer than Ethernet's: the token
    /// bucket above netem does not split a super-packet that is shorter than a frame.
    func phases(of plan: VerificationPlan) -> [ProbePhase] {
        let hasLongFrames = probe.pathMTU ?? .max > 1_500
        return plan.phases.compactMap { $0.withPeer(isIPv6: address.isIPv6) }
            .filter { $0.kind != .superPackets || !hasLongFrames }
    }

    private var probe: PeerProbe { PeerProbe(address, device: device, key, bootID: Self.bootID, uplink: uplink) }

    func run(_ phases: [ProbePhase], progress: (() -> Void)?) throws -> PeerProbe.Result {
        do throws(ProbeError) {
            return try probe.run(phases, progress: progress)
        } catch {
            throw MeasurementError(
                error.code == EPERM || error.code == EACCES ? .notPermitted : .unavailable,
                "\(error)"
            )
        }
    }

    /// The kernel's boot ID, the same in all of its namespaces; empty if it cannot be read.
    package static var bootID: String { ProcFile("/proc/sys/kernel/random/boot_id").firstLine ?? "" }
}
