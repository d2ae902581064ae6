// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CapturedPackets

/// Packets seen before and after a lane of the kernel.
@Suite struct LaneMatcherTests {
    private static let millisecond: Int64 = 1_000_000
    private static let second: Int64 = 1_000_000_000

    @Test(arguments: [false, true])
    func tellsTheDelayAndTheLoss(isIPv6: Bool) {
        var matcher = LaneMatcher.ofTwoLanes()
        let frames = (0..<3).map { TestFrame(isIPv6: isIPv6, payload: [$0]) }
        for (index, frame) in frames.enumerated() { matcher.enter(frame.seen(at: Int64(index))) }
        matcher.leave(frames[0].seen(at: 50 * Self.millisecond))
        matcher.leave(frames[2].seen(at: 51 * Self.millisecond))
        #expect(matcher.all(now: Self.second).fates == ["lane=uplink fate=passed delay=50.000000ms"])
        // The longest stay and two seconds later.
        #expect(matcher.all(now: 2_100_000_001).isEmpty)
        let rest = matcher.all(now: 2_100_000_002)
        #expect(rest.fates == ["lane=uplink fate=dropped reason=unknown", "lane=uplink fate=passed delay=50.999998ms"])
        #expect(rest.map(\.bytes) == [frames[1].bytes, frames[2].bytes])
    }

    @Test func ordersAsTheHostSawThem() {
        var matcher = LaneMatcher.ofTwoLanes()
        let frames = (0..<5).map { TestFrame(payload: [$0]) }
        matcher.enter(frames[0].seen(at: 10, in: 0))
        matcher.enter(frames[1].seen(at: 20, in: 1))
        matcher.enter(frames[2].seen(at: 30, in: 1))
        matcher.pass(frames[3].seen(at: 40, in: 2).packet)
        matcher.leave(frames[0].seen(at: 100, in: 0))
        matcher.leave(frames[1].seen(at: 110, in: 1))
        matcher.enter(frames[4].seen(at: 120, in: 0))
        let packets = matcher.all(now: 200) + matcher.finish(at: 3 * Self.second)
        // Sent, dropped, outside, received, sent.
        #expect(packets.map(\.time) == [10, 30, 40, 110, 120])
        #expect(packets.map { $0.bytes.last } == [0, 2, 3, 1, 4])
        #expect(packets[2].comments.isEmpty)
    }

    @Test func tellsDuplicatesApart() {
        var matcher = LaneMatcher.ofTwoLanes()
        let frame = TestFrame(payload: [1])
        matcher.enter(frame.seen(at: 0, in: 1))
        for time: Int64 in [50, 50, 70] { matcher.leave(frame.seen(at: time * Self.millisecond, in: 1)) }
        let delays = ["passed delay=50", "duplicate delay=50", "duplicate delay=70"]
        #expect(matcher.finish(at: Self.second).fates == delays.map { "lane=downlink fate=\($0).000000ms" })
    }

    /// Numbered packets differ in one bit.
    @Test func tellsSimilarPacketsApart() {
        var matcher = LaneMatcher.ofTwoLanes()
        let frames = [2, 3].map { TestFrame(isIPv6: true, payload: [$0]) }
        for frame in frames { matcher.enter(frame.seen(at: 0)) }
        matcher.leave(frames[0].seen(at: 5))
        matcher.leave(frames[0].seen(at: 6))
        matcher.leave(TestFrame(isIPv6: true, payload: [0x13]).seen(at: 7))
        #expect(
            matcher.finish(at: Self.second).fates == [
                "lane=uplink fate=passed delay=0.000005ms", "lane=uplink fate=dropped reason=unknown",
                "lane=uplink fate=duplicate delay=0.000006ms", "lane=uplink fate=passed",
            ]
        )
    }

    /// A retransmission has the same bytes where the identification is 0, or with IPv6.
    @Test func matchesRetransmissionsByTheDelay() {
        var matcher = LaneMatcher.ofTwoLanes()
        let (first, again) = (TestFrame(payload: [1]), TestFrame(isIPv6: true, payload: [2]))
        matcher.enter(first.seen(at: 0))
        matcher.leave(first.seen(at: 50 * Self.millisecond))
        for time: Int64 in [100, 300, 500] { matcher.enter(again.seen(at: time * Self.millisecond)) }
        matcher.leave(again.seen(at: 351 * Self.millisecond))
        let packets = matcher.finish(at: Self.second)
        #expect(packets.fates.map { $0.contains("dropped") } == [false, true, false, true])
        #expect(packets[2].time == 300 * Self.millisecond)
    }

    @Test(arguments: [0, 300])
    func tellsTheBitThatWasChanged(size: Int) {
        for isIPv6 in [false, true] {
            let frame = TestFrame(isIPv6: isIPv6, ecn: 1, payload: [UInt8](repeating: 7, count: size))
            for bit in 0..<frame.bytes.count * 8 {
                var matcher = LaneMatcher.ofTwoLanes()
                matcher.enter(frame.seen(at: 0, in: 1))
                matcher.enter(TestFrame(isIPv6: isIPv6, payload: [1]).seen(at: 1, in: 1))
                matcher.leave(frame.seen(at: 2, in: 1, flipping: bit))
                let packets = matcher.finish(at: 5 * Self.second)
                // Without a checksum of the header, a mark of ECN cannot be told from it.
                let isMark = isIPv6 && bit == 15 * 8 + 5
                let fate = "lane=downlink fate=\(isMark ? "marked" : "corrupted") delay=0.000002ms"
                #expect(packets.fates == ["lane=downlink fate=dropped reason=unknown", fate], "bit \(bit)")
                #expect(packets.last?.bytes == frame.seen(at: 0, flipping: bit).packet.bytes)
            }
        }
    }

    @Test func takesMarksForWhatTheyAre() {
        var matcher = LaneMatcher.ofTwoLanes()
        for isIPv6 in [false, true] {
            matcher.enter(TestFrame(isIPv6: isIPv6, ecn: 2).seen(at: 0))
            matcher.leave(TestFrame(isIPv6: isIPv6, ecn: 3).seen(at: 1))
        }
        let packets = matcher.finish(at: Self.second)
        #expect(packets.fates.allSatisfy { $0.contains("fate=marked") })
        // Sent, and shown with the mark.
        #expect(packets.map(\.time) == [0, 0])
        #expect(packets.map(\.bytes) == [false, true].map { TestFrame(isIPv6: $0, ecn: 3).bytes })
    }

    /// A lane may compute the checksum that was left to the network card.
    @Test(arguments: [(true, true), (true, false), (false, false)])
    func overlooksChecksums(before: Bool, after: Bool) {
        for bit in [nil, 34 * 8 + 6 * 8] {
            // Only what has final checksums is corrupted: netem computes them first.
            guard bit == nil || !after else { continue }
            var matcher = LaneMatcher.ofTwoLanes()
            matcher.enter(TestFrame(payload: [1, 2, 3], isPartial: before).seen(at: 0))
            matcher.leave(TestFrame(payload: [1, 2, 3], isPartial: after).seen(at: 1, flipping: bit))
            let fate = bit == nil ? "passed" : "corrupted"
            #expect(matcher.finish(at: 2).fates == ["lane=uplink fate=\(fate) delay=0.000001ms"])
        }
    }

    @Test func saysWhatIsNotKnown() {
        var matcher = LaneMatcher.ofTwoLanes()
        let frames = (0..<4).map { TestFrame(payload: [$0]) }
        matcher.enter(frames[0].seen(at: 0))
        matcher.doubt()
        matcher.enter(frames[1].seen(at: 1))
        matcher.enter(frames[2].seen(at: 900 * Self.millisecond))
        matcher.leave(frames[3].seen(at: 901 * Self.millisecond))
        #expect(
            matcher.finish(at: 950 * Self.millisecond).fates == [
                "lane=uplink fate=unknown reason=missed", "lane=uplink fate=dropped reason=unknown",
                "lane=uplink fate=unknown reason=end", "lane=uplink fate=passed",
            ]
        )
    }

    @Test func keepsWithinItsLimit() {
        var matcher = LaneMatcher.ofTwoLanes(limit: 10_000)
        var given: [CapturedPacket] = []
        for number in 0..<1000 {
            matcher.enter(TestFrame(identification: UInt16(number), payload: [0]).seen(at: Int64(number)))
            given += matcher.all(now: Int64(number))
        }
        #expect(given.count > 950)
        #expect(given.fates.allSatisfy { $0 == "lane=uplink fate=unknown reason=missed" })
    }

    /// A stay that is shorter than the one before may not apply yet.
    @Test func waitsForTheLongestStay() {
        var matcher = LaneMatcher.ofTwoLanes(stay: 5000)
        matcher.allow(stay: Self.millisecond)
        let frame = TestFrame(payload: [1])
        matcher.enter(frame.seen(at: 0))
        #expect(matcher.all(now: 6 * Self.second).isEmpty)
        matcher.leave(frame.seen(at: 6 * Self.second))
        #expect(matcher.all(now: 6 * Self.second).fates == ["lane=uplink fate=passed delay=6000.000000ms"])
    }
}
