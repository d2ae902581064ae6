// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem

/// The figures of lanes that only another process can read: by the counters of its statuses. Used on one thread.
package final class StatusFigures: LaneFigures {
    private var lanes: [RuleKey: [LaneRecord]] = [:]
    /// The counters of the last status, in the order of the lanes.
    private var samples: [RuleKey: [StatusReport.Counters?]] = [:]

    package init() {}

    package func use(_ report: StatusReport) {
        let now = BootClock.now
        var (lanes, samples): ([RuleKey: [LaneRecord]], [RuleKey: [StatusReport.Counters?]]) = ([:], [:])
        for device in report.devices {
            for rule in device.rules {
                let key = RuleKey(interface: device.interface, number: rule.number)
                lanes[key] = rule.lanes.map { lane in
                    let asked = lane.conditions.map { AskedFigures($0) }
                    let known = self.lanes[key]?.first { $0.lane == lane.kind && $0.device == lane.device }
                    guard var record = known else {
                        return LaneRecord(lane.kind, device: lane.device, asked: asked, at: now)
                    }
                    record.ask(asked, at: now)
                    return record
                }
                samples[key] = rule.lanes.map(\.counters)
            }
        }
        (self.lanes, self.samples) = (lanes, samples)
    }

    package func sample(at now: Duration) {
        for (key, counters) in samples {
            for (index, counters) in counters.enumerated() {
                lanes[key]?[index].add(counters.map { LaneSample($0, at: now) }, at: now)
            }
        }
    }

    package func lanes(interface: String, rule: Int) -> String? {
        lanes[RuleKey(interface: interface, number: rule)]?.text()
    }

    package func warnings(interface: String, rule: Int) -> [String] { [] }
}
