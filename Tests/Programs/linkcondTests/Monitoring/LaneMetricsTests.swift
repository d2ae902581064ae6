// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Testing

@testable import linkcond

@Suite struct LaneMetricsTests {
    private func devices(_ lanes: String) throws -> [StatusReport.Device] {
        let text = """
            {"devices": [{"interface": "eth0", "index": 2, "rules": [{"rule": 3, "profile": "A \\"b\\"",
             "traffic": "everything", "facing": "host", "engine": "netem", "lanes": [\(lanes)]}]}]}
            """
        return try #require(StatusReport(json: JSON(utf8: text.utf8))).devices
    }

    @Test func writesTheCountersOfALane() throws {
        let lane = """
            {"lane": "uplink", "device": "lcu2", "conditions": {"rate": "1 Mbit/s"}, "matchedPackets": 9,
             "sentPackets": 7, "sentBytes": 700, "droppedPackets": 1, "heldPackets": 1, "heldBytes": 100}
            """
        let lines = MetricsText.laneText(try devices(lane)).split(separator: "\n").filter { !$0.hasPrefix("#") }
        let labels = #"{interface="eth0",rule="3""#
        #expect(
            lines == [
                #"linkcond_rule_info\#(labels),profile="A \"b\"",engine="netem"} 1.0"#,
                #"linkcond_lane_matched_packets_total\#(labels),lane="uplink"} 9.0"#,
                #"linkcond_lane_packets_total\#(labels),lane="uplink"} 7.0"#,
                #"linkcond_lane_bytes_total\#(labels),lane="uplink"} 700.0"#,
                #"linkcond_lane_dropped_packets_total\#(labels),lane="uplink"} 1.0"#,
                #"linkcond_lane_held_packets\#(labels),lane="uplink"} 1.0"#,
                #"linkcond_lane_held_bytes\#(labels),lane="uplink"} 100.0"#,
                #"linkcond_lane_rate_bits_per_second\#(labels),lane="uplink"} 1000000.0"#,
            ]
        )
    }

    /// Zero would look like a lane without traffic.
    @Test func leavesOutWhatIsNotKnown() throws {
        let text = MetricsText.laneText(try devices(#"{"lane": "dns", "device": "lcu2", "matchedPackets": 0}"#))
        #expect(text.contains("linkcond_lane_matched_packets_total{interface=\"eth0\",rule=\"3\",lane=\"dns\"} 0.0\n"))
        #expect(!text.contains("linkcond_lane_packets_total{") && text.contains("# TYPE linkcond_lane_packets_total"))
    }
}
