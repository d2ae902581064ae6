// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkProfiles
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// How the link did, as a capture tells.
@Suite struct LinkRecordTests {
    @Test func countsDropsByReason() {
        var capture = TestCapture()
        for time in 0..<3 { capture.client(.syn, 0, at: time, .lost) }
        capture.client(.syn, 0, at: 5)
        #expect(capture.traffic.link.dropped == [.randomLoss: 3])
        #expect(capture.traffic.link.packets == 4 && capture.traffic.link.bytes == 160)
    }

    @Test func tellsTheWorstOfEachTenMilliseconds() {
        var capture = TestCapture()
        capture.server(.data, 1, at: 0, .delayed(20, late: 4))
        #expect(capture.traffic.link.late.isEmpty)
        #expect(capture.traffic.link.worstLateness == .milliseconds(4))
        capture.server(.data, 1, at: 101, .delayed(20, late: 5))
        capture.server(.data, 1, at: 100, .delayed(20, late: 7))
        capture.client(.data, 1, at: 1, .delayed(20, late: 30))
        capture.server(.data, 1, at: 9, .delayed(20, late: 90))
        let link = capture.traffic.link
        #expect(link.late.map(\.lateness) == [.milliseconds(30), .milliseconds(90), .milliseconds(7)])
        #expect(link.late.map { $0.delivered.nanoseconds / 1_000_000 } == [51, 119, 127])
        #expect(link.worstLateness == .milliseconds(90))
    }

    /// Both the packets and the statistics at the end tell what is missing.
    @Test func countsMissingPacketsOnce() {
        var capture = TestCapture()
        var packet = CapturedPacket(time: 0, bytes: [])
        packet.lostBefore = 3
        var statistics = CaptureStatistics(begin: 0, end: 1)
        statistics.dropped = 5
        statistics.shortfall = "No space left on device"
        for _ in 0..<2 {
            capture.add(.section(application: nil))
            capture.add(.interface(CapturedInterface("lo", .raw)))
            capture.add(.packet(packet))
            capture.add(.statistics(statistics, interface: 0))
        }
        #expect(capture.traffic.link.missing == 10)
        #expect(capture.traffic.link.missingReason == "No space left on device")
    }

    /// A process that is killed while it records writes no statistics.
    @Test func knowsACaptureThatEndsEarly() {
        var capture = TestCapture()
        capture.add(.interface(CapturedInterface("eth0", .raw)))
        #expect(!capture.traffic.link.isClosed)
        capture.add(.statistics(CaptureStatistics(begin: 0, end: 1), interface: 0))
        #expect(!capture.traffic.link.isClosed)
        capture.add(.statistics(CaptureStatistics(begin: 0, end: 1), interface: 1))
        #expect(capture.traffic.link.isClosed)
        #expect(!TrafficReader().read().link.isClosed)
    }
}
