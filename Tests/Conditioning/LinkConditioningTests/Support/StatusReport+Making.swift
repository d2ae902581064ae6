// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

extension StatusReport {
    /// A report with nothing but these.
    static func made(sandbox: Sandbox? = nil, _ devices: [Device] = [], leftovers: [String] = []) -> StatusReport {
        var report = StatusReport(devices: [], abandoned: [])
        report.sandbox = sandbox
        report.devices = devices
        report.leftovers = leftovers
        return report
    }

    /// A report in which nothing is absent.
    static let full: StatusReport = {
        let conditions = Impairments.with {
            $0.rate = BitRate(bitsPerSecond: 32000)
            $0.delay = .milliseconds(100)
            $0.jitter = Jitter(amount: .milliseconds(20), distribution: .normal, ordered: false)
            $0.loss = .gilbertElliott(GilbertElliott(p: .percent(1), r: .percent(30)))
            $0.duplicate = .percent(1)
            $0.corrupt = .percent(2)
            $0.reorder = Reorder(probability: .percent(3), gap: 5)
            $0.queue = .time(.milliseconds(300))
            $0.overhead = Overhead(packet: 10, cell: 48, cellOverhead: 5)
            $0.ecn = true
        }
        let counters = Counters(sentPackets: 7, sentBytes: 700, droppedPackets: 2, heldPackets: 1, heldBytes: 98)
        let lane = StatusReport.LaneStatus(
            kind: .uplink,
            device: "lc2r1u",
            conditions: conditions,
            limitPackets: 17,
            matchedPackets: 10,
            counters: counters
        )
        var rule = Rule.made([lane])
        rule.profile = "Slow Net"
        rule.traffic = Selection("to 10.0.0.0/8 exclude port 22") ?? Selection()
        rule.facing = .peer
        (rule.since, rule.userID, rule.processID) = (1_795_938_273, 1000, 4711)
        rule.ending = Ending(guardian: 4712, until: 1_795_939_000, confirmBy: 1_795_938_300)
        rule.missing = [.dns, .downlink]
        rule.askedBefore = ["flower filter with pref 1 on egress"]
        var device = Device.made("eth0", [rule])
        device.leftovers = ["lc2r3d"]
        device.danglingFilters = [50010, 50012]
        let sandbox = Sandbox(profile: "Slow Net", uplink: "lc-gateway", processID: 4711)
        var report = made(sandbox: sandbox, [device], leftovers: ["lc9r1u"])
        report.suspended = [Suspended(interface: "eth1", profile: "LTE", traffic: Selection("port 53") ?? Selection())]
        return report
    }()
}

extension StatusReport.Device {
    /// A device with these rules.
    static func made(_ interface: String, _ rules: [StatusReport.Rule] = []) -> StatusReport.Device {
        StatusReport.Device(interface: interface, index: 2, rules: rules, leftovers: [], danglingFilters: [])
    }
}

extension StatusReport.Rule {
    /// A rule with the fewest known facts.
    static func made(_ lanes: [StatusReport.LaneStatus]) -> StatusReport.Rule {
        StatusReport.Rule(number: 1, traffic: Selection(), engine: "netem", lanes: lanes, askedBefore: [])
    }
}

extension StatusReport.LaneStatus {
    /// A lane with the fewest known facts.
    static let bare = StatusReport.LaneStatus(kind: .dns, device: "lc2r1n", matchedPackets: 0)
}
