// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// Round trips by hand: a link of 20 ms each way, and a client and a server of which every packet is written down.
struct RoundTripTests {
    private static let some = [UInt8](repeating: 1, count: 100)

    /// A connection that was accepted at 40 ms by a server that answers at once.
    private static var opened: TestCapture {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        return capture
    }

    private static func trips(_ capture: TestCapture) -> [Int]? {
        capture.connection.map { ($0.roundTrips.minimum, $0.roundTrips.maximum) }.map { minimum, maximum in
            [minimum, maximum].compactMap { $0.map { Int($0 / .milliseconds(1)) } }
        }
    }

    private static func count(_ capture: TestCapture) -> Int? { capture.connection?.roundTrips.count }

    // MARK: - Data and its acknowledgement

    @Test func measuresDataUntilItsAcknowledgementArrives() {
        var capture = Self.opened
        capture.client(.data, 1, ack: 1, Self.some, at: 100)
        capture.server(.acknowledgment, 1, ack: 101, at: 120)
        capture.client(.data, 101, ack: 1, Self.some, at: 1000, .after(70))
        capture.server(.acknowledgment, 1, ack: 201, at: 1070, .after(430))
        #expect(Self.count(capture) == 2)
        #expect(Self.trips(capture) == [40, 500])
    }

    /// The handshake is told by itself.
    @Test func leavesTheHandshakeOut() {
        #expect(Self.count(Self.opened) == 0)
    }

    /// The kernel confirms at once, the application answers after 5 s.
    @Test func takesNoPauseOfTheApplicationForARoundTrip() {
        var capture = Self.opened
        capture.client(.data, 1, ack: 1, Self.some, at: 100)
        capture.server(.acknowledgment, 1, ack: 101, at: 120)
        capture.server(.data, 1, ack: 101, Self.some, at: 5000)
        #expect(Self.count(capture) == 1 && Self.trips(capture) == [40, 40])
    }

    @Test func measuresTheLastSegmentThatAnAcknowledgementCovers() {
        var capture = Self.opened
        for (number, time) in [100, 110, 120].enumerated() {
            capture.client(.data, UInt32(1 + 100 * number), ack: 1, Self.some, at: time)
        }
        capture.server(.acknowledgment, 1, ack: 301, at: 140)
        #expect(Self.count(capture) == 1 && Self.trips(capture) == [40, 40])
    }

    /// RFC 6298, section 3: nobody knows which of both is confirmed.
    @Test func neverMeasuresWhatWasSentAgain() {
        var capture = Self.opened
        capture.client(.data, 1, ack: 1, Self.some, at: 100, .after(3000))
        capture.client(.data, 1, ack: 1, Self.some, at: 400, .after(3000))
        capture.server(.acknowledgment, 1, ack: 101, at: 3100)
        capture.server(.acknowledgment, 1, ack: 101, at: 3400)
        #expect(Self.count(capture) == 0)
        capture.client(.data, 101, ack: 1, Self.some, at: 4000)
        capture.server(.acknowledgment, 1, ack: 201, at: 4020)
        #expect(Self.count(capture) == 1 && Self.trips(capture) == [40, 40])
    }

    /// What comes after a segment that was lost is confirmed together with it.
    @Test func measuresNothingAcrossALoss() {
        var capture = Self.opened
        capture.client(.data, 1, ack: 1, Self.some, at: 100, .lost)
        capture.client(.data, 101, ack: 1, Self.some, at: 101)
        capture.server(.acknowledgment, 1, ack: 1, at: 121)
        capture.client(.data, 1, ack: 1, Self.some, at: 400)
        capture.server(.acknowledgment, 1, ack: 201, at: 420)
        #expect(Self.count(capture) == 0)
    }

    /// The first acknowledgement was lost: the next one covers the segment, but was not sent for it.
    @Test func measuresNothingByAnAcknowledgementOfLaterData() {
        var capture = Self.opened
        capture.client(.data, 1, ack: 1, Self.some, at: 100)
        capture.server(.acknowledgment, 1, ack: 101, at: 120, .lost)
        capture.client(.data, 101, ack: 1, Self.some, at: 900)
        capture.server(.acknowledgment, 1, ack: 201, at: 920)
        #expect(Self.count(capture) == 1 && Self.trips(capture) == [40, 40])
    }

    @Test func followsSequenceNumbersThatWrap() {
        var capture = TestCapture()
        capture.initial = (.max - 50, 7)
        capture.client(.data, 1, ack: 1, Self.some, at: 90)
        capture.client(.data, 101, ack: 1, Self.some, at: 100)
        capture.server(.acknowledgment, 1, ack: 201, at: 120)
        #expect(Self.count(capture) == 1 && Self.trips(capture) == [40, 40])
    }

    // MARK: - Timestamps

    /// A client that only receives, from its acknowledgement at 100 ms on.
    private static func download(
        _ begin: TestCapture = opened,
        acknowledged link: TestCapture.Link = .after(20),
        value: UInt32 = 700,
        data: (time: Int, echo: UInt32)...
    ) -> TestCapture {
        var capture = begin
        capture.template.stamps = (value, 9)
        capture.client(.acknowledgment, 1, ack: 1, at: 100, link)
        for (number, (time, echo)) in data.enumerated() {
            capture.template.stamps = (9 + UInt32(number), echo)
            capture.server(.data, UInt32(1 + 100 * number), ack: 1, Self.some, at: time, .after(80))
        }
        return capture
    }

    @Test func measuresADownloadByTheFirstEchoOfATimestamp() {
        let capture = Self.download(data: (120, 700), (122, 700))
        #expect(Self.count(capture) == 1 && Self.trips(capture) == [100, 100])
    }

    /// The last acknowledgement of an answer is echoed by the next answer, whenever that comes.
    @Test func takesNoEchoThatAnApplicationHeldBack() {
        #expect(Self.count(Self.download(data: (5000, 700))) == 0)
    }

    /// A server that spreads its packets over time sends nothing at once.
    @Test(arguments: [120, 121, 140, 220])
    func leavesOutTheWaitOfAServerAtTheLink(_ time: Int) {
        let capture = Self.download(data: (time, 700))
        #expect(Self.count(capture) == 1 && Self.trips(capture) == [100, 100])
    }

    /// The network beyond the link takes 200 ms, and 290 ms may be its own, too.
    @Test(arguments: [(320, [300, 300]), (410, [390, 390]), (430, [])])
    func comparesAnEchoFromAfarWithTheQuickestAnswer(_ time: Int, _ trips: [Int]) {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 220)
        #expect(Self.trips(Self.download(capture, data: (time, 700))) == trips)
    }

    /// An acceptance that was lost is sent again after a second, which is not how long the server takes.
    @Test func comparesNoEchoWithAnAcceptanceThatWasSentAgain() {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20, .lost)
        capture.server(.answer, 0, ack: 1, at: 1020)
        #expect(Self.trips(Self.download(capture, data: (420, 700))) == [])
        #expect(Self.trips(Self.download(capture, data: (140, 700))) == [100, 100])
    }

    @Test func measuresNoPacketThatWasDropped() {
        #expect(Self.count(Self.download(acknowledged: .lost, data: (121, 700))) == 0)
    }

    @Test(arguments: [(0, 1), (60_000, 1)])
    func takesTheEchoThatBelongsToATimestamp(_ shift: UInt32, _ count: Int) {
        // Another value than that sent, and one that was sent before: neither is an answer.
        #expect(Self.count(Self.download(value: .max - 30_000 &+ shift, data: (121, 5))) == 0)
        let value = UInt32.max - 30_000 &+ shift
        #expect(Self.count(Self.download(value: value, data: (121, value))) == count)
    }

    /// A segment with data has its acknowledgement: its timestamp is not counted, too.
    @Test func countsAPacketOnce() {
        var capture = Self.opened
        capture.template.stamps = (700, 9)
        capture.client(.data, 1, ack: 1, Self.some, at: 100)
        capture.client(.acknowledgment, 101, ack: 1, at: 100)
        capture.template.stamps = (10, 700)
        capture.server(.acknowledgment, 1, ack: 101, at: 120)
        capture.server(.data, 1, ack: 101, Self.some, at: 121)
        #expect(Self.count(capture) == 1 && Self.trips(capture) == [40, 40])
    }

    // MARK: - Sums

    @Test func keepsFewOfManyThatAreOnTheirWay() {
        var capture = Self.opened
        for number in 0..<1000 {
            capture.client(.data, UInt32(1 + 100 * number), ack: 1, Self.some, at: 100 + number / 10)
        }
        for number in 0..<1000 {
            capture.server(.acknowledgment, 1, ack: UInt32(101 + 100 * number), at: 220 + number / 10, .after(120))
        }
        #expect(Self.count(capture) == 16 && Self.trips(capture) == [240, 240])
    }

    /// A capture of a large upload takes the time of its packets, not the square of it.
    @Test func readsALongConnectionInTheTimeOfItsPackets() {
        func count(_ segments: Int) -> Int {
            var capture = Self.opened
            for number in 0..<segments {
                capture.client(.data, UInt32(1 + number), ack: 1, [1], at: 100 + number)
                capture.server(.acknowledgment, 1, ack: UInt32(2 + number), at: 120 + number)
            }
            return Self.count(capture) ?? 0
        }
        var counts: Set<Int> = []
        // The capture is read while it is made.
        let growth = ProcessorTime.growth(from: 12_500, { $0 }) { counts.insert(count($0)) }
        #expect(growth < ProcessorTime.proportion)
        #expect(counts.count == 2 && (10_000...50_000).contains(counts.max() ?? 0), "\(counts)")
    }

    @Test func addsThemToThePiecesOfTimeInWhichTheyEnded() {
        var capture = Self.opened
        for number in 0..<3 {
            let begin = 100 * (number + 1)
            capture.client(.data, UInt32(1 + 100 * number), ack: 1, Self.some, at: begin)
            let end = UInt32(101 + 100 * number)
            capture.server(.acknowledgment, 1, ack: end, at: begin + 20, .after(20 + 10 * number))
        }
        let history = capture.traffic.link.history
        let pieces = history.pieces.enumerated().filter { $0.element.roundTrips.count > 0 }
        let begins = pieces.map { history.begin + .milliseconds(10 * $0.offset) }
        #expect(begins == [140, 250, 360].map { Instant(nanoseconds: $0 * 1_000_000) })
        #expect(pieces.map(\.element.roundTrips.median) == [40, 50, 60].map { .milliseconds($0) })
    }

    /// Without a sort, and in little room.
    @Test func tellsTheMedianWithinThreePercent() throws {
        var trips = DurationSummary()
        var halves = (DurationSummary(), DurationSummary())
        var lengths: [Int64] = []
        var state: UInt64 = 1
        for index in 0..<2001 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let length = Int64((state >> 33) >> UInt64(index % 20)) + 64_000
            lengths.append(length)
            trips.add(.nanoseconds(length))
            if index % 3 == 0 { halves.0.add(.nanoseconds(length)) } else { halves.1.add(.nanoseconds(length)) }
        }
        lengths.sort()
        let exact = Duration.nanoseconds(lengths[1000])
        let median = try #require(trips.median)
        #expect(median >= exact * 0.97 && median <= exact * 1.03, "\(median), not \(exact)")
        let (late, high) = (Duration.nanoseconds(lengths[1900]), try #require(trips.percentile(95)))
        #expect(high >= late * 0.97 && high <= late * 1.03, "\(high), not \(late)")
        #expect(trips.minimum == .nanoseconds(lengths[0]) && trips.maximum == .nanoseconds(lengths[2000]))
        halves.0.add(halves.1)
        #expect(halves.0 == trips)
    }

    @Test func hasNoMedianOfNone() {
        let none = DurationSummary()
        #expect(none.minimum == nil && none.median == nil && none.maximum == nil)
        var one = DurationSummary()
        one.add(.microseconds(80_123))
        #expect(one.minimum == .microseconds(80_123) && one.median == one.minimum && one.maximum == one.minimum)
    }
}

extension Duration {
    fileprivate static func * (duration: Duration, factor: Double) -> Duration {
        .nanoseconds(Int64(duration / .nanoseconds(1) * factor))
    }
}
