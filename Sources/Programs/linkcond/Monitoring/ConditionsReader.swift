// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import Netlink
import Reachability
import SandboxClient
import Sandboxing

/// Reads the conditions of each interface in this process's network namespace.
struct ConditionsReader {
    struct Reading {
        var context = LinkContext()
        var hasPump = false
    }

    private let lanes: LaneReader
    private let uplinks: Set<String>

    /// Prepares to read in this process's network namespace.
    init() throws(NetlinkError) {
        lanes = try LaneReader()
        let sandbox = (try? ControlClient.ofThisSandbox?.status())?.sandbox
        let paths = sandbox?.paths ?? []
        uplinks = sandbox?.uplink == nil ? [] : paths.isEmpty ? [Uplink.interface] : Set(paths).subtracting(["lo"])
    }

    /// Reads the current conditions; interfaces whose conditions cannot be read are left out.
    func read() -> Reading {
        var reading = Reading()
        reading.context.uplinks = uplinks
        for device in lanes.devices() {
            reading.hasPump = reading.hasPump || device.hasPump
            // A rule for a part of the traffic does not describe the link, so it is skipped.
            guard let rule = device.rules.first(where: { $0.traffic.isEverything }) else { continue }
            reading.context.conditions[device.interface] = PathConditions(rule, isLoopback: device.interface == "lo")
        }
        return reading
    }
}

extension PathConditions {
    /// The conditions of a small packet and its reply on a device with this rule.
    init(_ rule: StatusReport.Rule, isLoopback: Bool) {
        func lane(_ kind: Lane) -> Impairments? { rule.lanes.first { $0.kind == kind }?.conditions }
        let uplink = lane(.uplink) ?? (isLoopback ? lane(.downlink) : nil)
        let downlink = lane(.downlink) ?? (isLoopback ? lane(.uplink) : nil)
        let ways = [uplink, downlink].compactMap { $0 }
        // If the rule faces the peer, the DNS lane carries the peer's queries, not this host's.
        let query = rule.facing == .host ? lane(.dns) : nil
        let dns = query?.delay.map { $0 - (uplink?.delay ?? .zero) } ?? .zero
        self.init(
            profile: (rule.profile ?? "?") + rule.facing.words,
            since: rule.since.map(Int64.init),
            roundTrip: ways.isEmpty ? nil : ways.reduce(.zero) { $0 + ($1.delay ?? .zero) + $1.transmissionTime },
            dnsDelay: max(dns, .zero),
            loss: 1 - ways.reduce(1) { $0 * (1 - ($1.loss?.meanLoss ?? 0)) }
        )
    }
}

extension Impairments {
    /// How long the smallest frame with a payload, of 64 bytes, occupies the bottleneck.
    fileprivate var transmissionTime: Duration {
        guard let rate, rate.bitsPerSecond > 0 else { return .zero }
        return .nanoseconds(Int64(64 * 8 * 1_000_000_000 / rate.bitsPerSecond))
    }
}
