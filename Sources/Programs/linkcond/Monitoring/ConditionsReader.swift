// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import Netlink
import Reachability
import SandboxClient
import Sandboxing
import TrafficControl

/// Reads the conditions of each interface in this process's network: from the kernel, and for rules that a pump
/// carries, of which the kernel knows only the name, from the pump or from the supervisor of this sandbox.
struct ConditionsReader {
    struct Reading {
        var context = LinkContext()
        var hasPump = false
    }

    private let connection: RouteConnection
    private let uplinks: Set<String>

    /// Reads in this process's network.
    init() throws(NetlinkError) {
        connection = RouteConnection(try RouteSocket())
        let sandbox = (try? ControlClient.ofThisSandbox?.status())?.sandbox
        let paths = sandbox?.paths ?? []
        uplinks = sandbox?.uplink == nil ? [] : paths.isEmpty ? [Uplink.interface] : Set(paths).subtracting(["lo"])
    }

    /// Reads the present conditions; those that cannot be read are left out.
    func read() -> Reading {
        var reading = Reading()
        reading.context.uplinks = uplinks
        guard let (devices, abandoned) = try? Inspector(connection).conditionedDevices() else { return reading }
        var report = StatusReport(devices: devices, abandoned: abandoned)
        report.ask(of: devices)
        let kernel = report.devices
        reading.hasPump = kernel.contains { $0.rules.contains { $0.engine == Engine.userspace.rawValue } }
        let supervised = reading.hasPump ? (try? ControlClient.ofThisSandbox?.status())?.devices ?? [] : []
        for device in kernel {
            let report = supervised.first { $0.interface == device.interface } ?? device
            // A part of the traffic is not the link.
            guard let rule = report.rules.first(where: { $0.traffic.isEverything }) else { continue }
            reading.context.conditions[device.interface] = PathConditions(rule, isLoopback: device.interface == "lo")
        }
        return reading
    }
}

extension PathConditions {
    /// The conditions for a small packet and its answer on a device with this rule.
    init(_ rule: StatusReport.Rule, isLoopback: Bool) {
        func lane(_ kind: Lane) -> Impairments? { rule.lanes.first { $0.kind == kind }?.conditions }
        let uplink = lane(.uplink) ?? (isLoopback ? lane(.downlink) : nil)
        let downlink = lane(.downlink) ?? (isLoopback ? lane(.uplink) : nil)
        let ways = [uplink, downlink].compactMap { $0 }
        // The peer's queries have that lane, not this host's.
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
    /// The time for which the smallest frame with a payload, of 64 bytes, occupies the bottleneck.
    fileprivate var transmissionTime: Duration {
        guard let rate, rate.bitsPerSecond > 0 else { return .zero }
        return .nanoseconds(Int64(64 * 8 * 1_000_000_000 / rate.bitsPerSecond))
    }
}
