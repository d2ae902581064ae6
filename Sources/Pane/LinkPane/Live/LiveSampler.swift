// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
package import Netlink
package import PacketPump

/// Samples the counters of all lanes: those of pumps from their memory, those of netem in one request to the kernel.
package final class LiveSampler: LaneFigures {
    /// A rule with its lanes, by interface and number.
    private struct RuleKey: Hashable {
        let interface: String
        let rule: Int
    }

    private struct TrackedRule {
        var isPumped: Bool
        /// Seconds since 1970 at which the rule was applied or changed; nil if unknown.
        var since: Int?
        /// A TAP device that the rule's pump serves.
        var tap: String
        var lanes: [LaneRecord]
        /// The index of each lane's device.
        var links: [Int32]
    }

    private var rules: [RuleKey: TrackedRule] = [:]
    private var pumps: PumpPages
    private let kernel: RouteConnection?
    /// The kernel's counters, and the time from which on they are asked for again for the sake of pumps.
    private var kernelCounters: (qdiscs: [Int32: QdiscStatistics], expiry: Duration) = ([:], .zero)
    /// The time between two such requests: beneath a pump, packets wait only if another program has changed a device.
    private static let pumpInterval = Duration.milliseconds(500)
    /// Whether the counters are those of the reports: a network that this process does not reach.
    private let usesReports: Bool
    /// The report that was used last; nil before the first.
    private(set) var report: StatusReport?
    /// The time of the last sample.
    private(set) var lastSample = Duration.zero

    /// With neither, the counters are those of the reports.
    ///
    /// - Parameters:
    ///   - pumps: reaches the pumps of the network that the calling thread is in.
    ///   - kernel: lists the qdiscs of that network.
    package init(pumps: PumpClient?, kernel: RouteConnection?) {
        self.pumps = PumpPages(pumps)
        self.kernel = kernel
        usesReports = pumps == nil && kernel == nil
    }

    package func use(_ report: StatusReport) {
        let now = BootClock.now
        self.report = report
        var rules: [RuleKey: TrackedRule] = [:]
        for device in report.devices {
            for rule in device.rules {
                let key = RuleKey(interface: device.interface, rule: rule.number)
                let known = self.rules[key]?.lanes ?? []
                let lanes = rule.lanes.map { lane in
                    let asked = (lane.asked ?? lane.conditions).map { AskedFigures($0) }
                    guard var record = known.first(where: { $0.lane == lane.kind && $0.device == lane.device }) else {
                        return LaneRecord(lane.kind, device: lane.device, asked: asked, at: now)
                    }
                    // Those that a schedule changes are known from the pump.
                    if pumps.profile(of: rule.lanes[0].device)?.schedule == nil { record.ask(asked, at: now) }
                    return record
                }
                rules[key] = TrackedRule(
                    isPumped: rule.isPumped,
                    since: rule.since,
                    tap: rule.lanes.first?.device ?? "",
                    lanes: lanes,
                    links: lanes.map { Int32(clamping: if_nametoindex($0.device)) }
                )
            }
        }
        self.rules = rules
        pumps.keep(Set(rules.values.filter(\.isPumped).map(\.tap)))
    }

    package func sample(at now: Duration) {
        lastSample = now
        guard !usesReports else { return sampleReport(at: now) }
        pumps.renew(at: now)
        if !rules.isEmpty, now >= kernelCounters.expiry || rules.values.contains(where: { !$0.isPumped }) {
            kernelCounters = ((try? kernel?.rootStatistics()) ?? [:], now + Self.pumpInterval)
        }
        let statistics = kernelCounters.qdiscs
        let wallTime = Double(RealClock.now) / 1e9
        for key in rules.keys {
            guard let rule = rules[key] else { continue }
            let reading = rule.isPumped ? pumps.reading(of: rule.tap) : nil
            let flows = rule.isPumped ? pumps.flows(of: rule.tap) : nil
            let profile = rule.isPumped ? pumps.profile(of: rule.tap) : nil
            for (index, lane) in rule.lanes.enumerated() {
                let sample =
                    if rule.isPumped {
                        reading.map { reading in
                            var sample = LaneSample(reading[lane.lane], flows?.delays(of: lane.lane), at: now)
                            sample.held += UInt64(statistics[rule.links[index]]?.queuedPackets ?? 0)
                            return sample
                        }
                    } else {
                        statistics[rule.links[index]].map { LaneSample($0, at: now) }
                    }
                rules[key]?.lanes[index].add(sample, at: now)
                if let profile, profile.schedule != nil {
                    let asked = AskedFigures(profile, lane.lane, since: rule.since, time: wallTime)
                    rules[key]?.lanes[index].ask(asked, at: now)
                }
            }
        }
    }

    /// Samples the counters of the last report, once.
    private func sampleReport(at now: Duration) {
        for device in report?.devices ?? [] {
            for rule in device.rules {
                let key = RuleKey(interface: device.interface, rule: rule.number)
                for (index, lane) in rule.lanes.enumerated() {
                    rules[key]?.lanes[index].add(lane.counters.map { LaneSample($0, at: now) }, at: now)
                }
            }
        }
    }

    package func lanes(interface: String, rule: Int) -> String? {
        rules[RuleKey(interface: interface, rule: rule)]?.lanes.text()
    }

    /// The accounts of pumps, by the rule as "eth0#1".
    var flowPages: [(rule: String, page: FlowPage)] {
        rules.compactMap { key, rule in
            guard rule.isPumped, let page = pumps.flows(of: rule.tap) else { return nil }
            return ("\(key.interface)#\(key.rule)", page)
        }
    }

    package func warnings(interface: String, rule: Int) -> [String] {
        guard let rule = rules[RuleKey(interface: interface, rule: rule)], rule.isPumped else { return [] }
        return pumps.warnings(of: rule.tap)
    }
}

extension StatusReport.Rule {
    /// Whether a pump carries the rule.
    fileprivate var isPumped: Bool { engine == "userspace" }
}
