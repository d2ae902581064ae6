// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Netlink
import Reachability
import Sandboxing

/// Reads which conditions hold on which interface of the network that this process is in: from the kernel, and where
/// they are carried in userspace, which the kernel only knows the name of, from the sandbox's keeper.
struct ConditionsReader {
    private let connection: RouteConnection
    private let uplink: LinkContext.Uplink?

    /// Reads in this process's network.
    init() throws(NetlinkError) {
        connection = RouteConnection(try RouteSocket())
        let program = (try? ControlClient.ofThisSandbox?.status())?.sandbox?.uplink
        // The program is the same that a sandbox of this process's would have.
        uplink = program.map { _ in
            LinkContext.Uplink(
                interface: UplinkProgram.interface,
                tellsRefusalFromSilence: UplinkProgram.find()?.caveat == nil
            )
        }
    }

    /// How things are now; what cannot be read is not there.
    func read() -> LinkContext {
        var context = LinkContext()
        context.uplink = uplink
        guard let (devices, abandoned) = try? Inspector(connection).conditionedDevices() else { return context }
        var report = StatusReport(devices: devices, abandoned: abandoned)
        report.askPumps(of: devices)
        let kernel = report.devices
        let isPumped = kernel.contains { $0.rules.contains { $0.engine == Engine.userspace.rawValue } }
        let keeper = isPumped ? (try? ControlClient.ofThisSandbox?.status())?.devices ?? [] : []
        for device in kernel {
            let told = keeper.first { $0.interface == device.interface } ?? device
            // Of several rules the latest wins, where their traffic is the same; a part of the traffic is not the link.
            guard let rule = told.rules.last(where: { $0.traffic.isEverything }) else { continue }
            context.conditions[device.interface] = PathConditions(rule, isLoopback: device.interface == "lo")
        }
        return context
    }
}

extension PathConditions {
    /// What a small packet and its answer meet on a device with this rule.
    init(_ rule: StatusReport.Rule, isLoopback: Bool) {
        func lane(_ kind: Lane) -> Impairments? { rule.lanes.first { $0.kind == kind }?.conditions }
        let uplink = lane(.uplink) ?? (isLoopback ? lane(.downlink) : nil)
        let downlink = lane(.downlink) ?? (isLoopback ? lane(.uplink) : nil)
        let ways = [uplink, downlink].compactMap { $0 }
        let dns = lane(.dns)?.delay.map { $0 - (uplink?.delay ?? .zero) } ?? .zero
        self.init(
            profile: rule.profile ?? "?",
            since: rule.since.map(Int64.init),
            roundTrip: ways.isEmpty ? nil : ways.reduce(.zero) { $0 + ($1.delay ?? .zero) + $1.transmissionTime },
            dnsDelay: max(dns, .zero),
            loss: 1 - ways.reduce(1) { $0 * (1 - ($1.loss?.meanLoss ?? 0)) }
        )
    }
}

extension Impairments {
    /// How long the smallest frame that carries anything, of 64 bytes, occupies the bottleneck.
    fileprivate var transmissionTime: Duration {
        guard let rate, rate.bitsPerSecond > 0 else { return .zero }
        return .nanoseconds(Int64(64 * 8 * 1_000_000_000 / rate.bitsPerSecond))
    }
}
