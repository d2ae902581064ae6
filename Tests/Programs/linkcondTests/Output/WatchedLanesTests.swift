// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Testing

@testable import linkcond

/// What `status --watch` draws below the tables.
@Suite struct WatchedLanesTests {
    private static func report(sent: Int, dropped: Int, held: Int) throws -> StatusReport {
        let text = """
            { "devices": [{ "interface": "eth0", "index": 2, "rules": [
              { "rule": 1, "profile": "Slow Net", "traffic": "port 443", "engine": "userspace", "uid": 0, "lanes": [
                { "lane": "uplink", "device": "lc2r1u", "conditions": { "delay": "100 ms" }, "matchedPackets": 8, "sentPackets": 6,
                  "sentBytes": \(sent), "droppedPackets": \(dropped), "heldPackets": \(held), "heldBytes": 98 }] }] }] }
            """
        return try #require(StatusReport(json: JSON(utf8: text.utf8)))
    }

    @Test func drawsNothingBeforeThereIsADifference() throws {
        var lanes = WatchedLanes()
        lanes.add(try Self.report(sent: 1000, dropped: 0, held: 0), after: .seconds(1))
        #expect(lanes.lines.isEmpty)
    }

    @Test func drawsRatesQueueAndLossOfALane() throws {
        var lanes = WatchedLanes()
        for (sent, dropped, held) in [(0, 0, 0), (25_000, 0, 4), (25_000, 6, 2), (125_000, 6, 0)] {
            lanes.add(try Self.report(sent: sent, dropped: dropped, held: held), after: .seconds(2))
        }
        #expect(
            lanes.lines.map(\.text) == [
                "LANE                  NOW         MOST        LAST MINUTE",
                "eth0 rule 1, uplink   400 kbit/s  400 kbit/s  ▃·█",
                "  packets held        0           4           █▅·",
                "  dropped per second  0           3           ·█·",
            ]
        )
    }

    @Test func beginsAgainWithTheCounters() throws {
        var lanes = WatchedLanes()
        for sent in [1_000_000, 0] {
            lanes.add(try Self.report(sent: sent, dropped: 0, held: 0), after: .seconds(1))
        }
        #expect(lanes.lines[1].text.contains("0 bit/s"))
    }
}
