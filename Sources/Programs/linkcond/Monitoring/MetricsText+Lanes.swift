// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles

/// The counters of the lanes. A lane whose counters cannot be read has no samples, since zero would look like a lane
/// without traffic.
extension MetricsText {
    private struct LaneFamily: Sendable {
        let name: String
        let kind: String
        let help: String
        let value: @Sendable (StatusReport.LaneStatus) -> Double?
    }

    private static let laneFamilies: [LaneFamily] = [
        LaneFamily(
            name: "linkcond_lane_matched_packets_total",
            kind: "counter",
            help: "Packets that were led into the lane."
        ) { Double($0.matchedPackets) },
        LaneFamily(
            name: "linkcond_lane_packets_total",
            kind: "counter",
            help: "Packets that have left the lane."
        ) { $0.counters.map { Double($0.sentPackets) } },
        LaneFamily(
            name: "linkcond_lane_bytes_total",
            kind: "counter",
            help: "Bytes that have left the lane."
        ) { $0.counters.map { Double($0.sentBytes) } },
        LaneFamily(
            name: "linkcond_lane_dropped_packets_total",
            kind: "counter",
            help: "Packets that the lane has lost or its full queue has refused."
        ) { $0.counters.map { Double($0.droppedPackets) } },
        LaneFamily(
            name: "linkcond_lane_held_packets",
            kind: "gauge",
            help: "Packets that the lane holds."
        ) { $0.counters.map { Double($0.heldPackets) } },
        LaneFamily(
            name: "linkcond_lane_held_bytes",
            kind: "gauge",
            help: "Bytes that the lane holds."
        ) { $0.counters?.heldBytes.map { Double($0) } },
        LaneFamily(
            name: "linkcond_lane_rate_bits_per_second",
            kind: "gauge",
            help: "The rate that the profile asks for now."
        ) { lane in
            lane.conditions?.rate.flatMap { $0.isZero ? nil : Double($0.bitsPerSecond) }
        },
    ]

    /// Formats the rules and their lanes.
    static func laneText(_ devices: [StatusReport.Device]) -> String {
        let rules = devices.flatMap { device in
            device.rules.map { (labels: [("interface", device.interface), ("rule", "\($0.number)")], rule: $0) }
        }
        let profiles = rules.map { labels, rule in
            Sample(labels + [("profile", rule.profile ?? ""), ("engine", rule.engine)], 1)
        }
        let families = laneFamilies.map { family in
            let samples = rules.flatMap { labels, rule in
                rule.lanes.compactMap { lane in
                    family.value(lane).map { Sample(labels + [("lane", lane.kind.name)], $0) }
                }
            }
            return text(of: family.name, kind: family.kind, help: family.help, samples)
        }
        let info = text(of: "linkcond_rule_info", kind: "gauge", help: "1 for the profile of the rule.", profiles)
        return info + families.joined()
    }
}
