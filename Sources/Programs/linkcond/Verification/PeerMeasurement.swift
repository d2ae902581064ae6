// SPDX-License-Identifier: Apache-2.0

import Glibc
import InternetAddresses
import LinkProbes
import LinkProfiles
import LinkVerification
import LinuxSystem

/// The way to another machine, on which "linkcond reflect" runs.
struct PeerMeasurement {
    private let address: PeerAddress
    private let device: String?
    private let key: ReflectionKey
    /// What the link carries there; nil for no limit.
    private let uplink: BitRate?

    /// An environment variable, since every user can read the arguments of a command.
    static let keyVariable = "LINKCOND_KEY"
    static let usualPort: UInt16 = 7373

    init(_ peer: String, device: String?, _ profile: Profile) throws {
        guard profile.schedule == nil, profile.uplink?.trace == nil, profile.downlink?.trace == nil else {
            throw Failure(.usage, "\(profile.name) changes with time, and when it started is unknown here")
        }
        guard let key = try Self.key() else {
            throw Failure(
                .usage,
                "no key: set \(Self.keyVariable) to what \"linkcond reflect\" has printed on the other machine"
            )
        }
        self.key = key
        address = try Self.address(peer)
        if let device, if_nametoindex(device) == 0 {
            throw Failure(.notFound, "there is no interface \(device)")
        }
        self.device = device
        uplink = profile.uplink?.rate
    }

    /// The key that the user has set; nil for none.
    static func key() throws -> ReflectionKey? {
        guard let text = getenv(keyVariable).map({ String(cString: $0) }), !text.isEmpty else { return nil }
        guard let key = ReflectionKey(text) else {
            throw Failure(.usage, "\(keyVariable) has less than \(ReflectionKey.leastLength) characters")
        }
        return key
    }

    /// "HOST", "HOST:PORT", "ADDRESS" or "[ADDRESS]:PORT".
    static func address(_ text: String) throws -> PeerAddress {
        var (host, port) = (text, usualPort)
        if IPAddress(text) == nil, let colon = text.lastIndex(of: ":") {
            guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else {
                throw Failure(.usage, "'\(text)' has no port after its colon")
            }
            (host, port) = (String(text[..<colon]), number)
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        }
        let words = IPAddress(host) == nil ? TrafficOptions.addresses(of: host).first : host
        guard let address = words.flatMap({ IPAddress($0) }),
            let peer = PeerAddress(address.bytes, scope: address.scope, port: port)
        else { throw Failure(.notFound, "the host \(host) has no known address") }
        return peer
    }

    /// The phases that can be measured. The token bucket above netem splits no super-packet that is shorter than a frame, so
    /// they are left out where frames may be longer than Ethernet's.
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
            throw Failure(error.code == EPERM || error.code == EACCES ? .notPermitted : .unavailable, "\(error)")
        }
    }

    /// The kernel's boot ID, the same in all of its namespaces; empty if it cannot be read.
    static var bootID: String {
        ProcFile("/proc/sys/kernel/random/boot_id").firstLine ?? ""
    }
}
