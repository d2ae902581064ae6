// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import PacketPump
import Testing

@testable import LinkPane

/// A lane that sends frames of 1000 bytes, sampled ten times a second.
struct SimulatedLane {
    var history = LaneHistory()
    var sample = LaneSample(time: .seconds(1_000))

    init() { history.add(sample) }

    /// Runs for a while; the figures are for each second.
    mutating func run(
        _ seconds: Double,
        left: UInt64 = 0,
        drops: UInt64 = 0,
        held: UInt64 = 0,
        knowsBytes: Bool = false,
        modelDrops: UInt64? = nil,
        delay: Duration? = nil
    ) {
        for _ in 0..<Int(seconds * 10) {
            sample.time += .milliseconds(100)
            sample.left += left / 10
            sample.leftBytes += left / 10 * 1_000
            sample.drops += drops / 10
            sample.modelDrops = modelDrops.map { (sample.modelDrops ?? 0) + $0 / 10 }
            sample.held = held
            sample.heldBytes = knowsBytes ? held * 1_000 : nil
            if let delay {
                sample.delays = FlowEntry.Delays(
                    packets: (sample.delays?.packets ?? 0) + left / 10,
                    nanoseconds: (sample.delays?.nanoseconds ?? 0) + left / 10 * UInt64(delay / .nanoseconds(1))
                )
            }
            history.add(sample)
        }
    }
}

struct LaneHistoryTests {
    @Test func measuresTheLastSecond() throws {
        var lane = SimulatedLane()
        lane.run(3, left: 500, drops: 500)
        lane.run(2, left: 900, drops: 100, held: 90)
        let window = try #require(lane.history.window(last: .seconds(1)))
        #expect(window.length == .seconds(1) && window.left == 900 && window.packets == 1_000)
        #expect(window.rate == 7_200_000 && window.loss == 0.1 && window.held == 90)
    }

    /// Little's law: 90 packets at 900 a second have waited for 0.1 s.
    @Test(arguments: [false, true]) func concludesTheDelayFromThePacketsHeld(knowsBytes: Bool) throws {
        var lane = SimulatedLane()
        lane.run(3, left: 900, held: 90, knowsBytes: knowsBytes)
        let delay = try #require(lane.history.window(last: .seconds(1))?.delay)
        #expect(delay.isEstimate && abs(delay.mean / .milliseconds(1) - 100) < 0.001 && delay.packets == 900)
        lane.run(3, left: 90, held: 9, knowsBytes: knowsBytes)
        #expect(lane.history.window(last: .seconds(1))?.delay == nil)
    }

    @Test func prefersTheMeasuredDelay() throws {
        var lane = SimulatedLane()
        lane.run(3, left: 10, held: 90, delay: .milliseconds(40))
        let delay = try #require(lane.history.window(last: .seconds(1))?.delay)
        #expect(!delay.isEstimate && delay.mean == .milliseconds(40) && delay.packets == 10)
    }

    @Test func hasNoLossWithoutPackets() throws {
        var lane = SimulatedLane()
        lane.run(2)
        let window = try #require(lane.history.window(last: .seconds(1)))
        #expect(window.loss == nil && window.delay == nil && window.rate == 0)
    }

    @Test func keepsOneWindowForEachSecondOfTheLastMinute() throws {
        var lane = SimulatedLane()
        for second in 1...70 { lane.run(1, left: UInt64(second) * 10) }
        let minute = lane.history.minute
        #expect(minute.count == 60)
        // The second that is not over yet is missing.
        #expect(minute.map { $0?.left } == (11...70).map { UInt64($0) * 10 })
    }

    /// No figure for seconds in which nobody watched.
    @Test func hasAGapWhereNothingWasSampled() {
        var lane = SimulatedLane()
        lane.run(2, left: 100)
        lane.sample.time += .seconds(5)
        lane.sample.left += 500
        lane.run(2, left: 100)
        let seconds = lane.history.minute.map { $0?.left }
        #expect(seconds.first == 100 && seconds.last == 100)
        #expect(seconds.dropFirst(2).prefix(5).allSatisfy { $0 == nil } && seconds.count == 9)
        #expect(lane.history.window(last: .seconds(1))?.left == 100)
    }

    @Test func startsAgainWhenTheCountersDo() {
        var lane = SimulatedLane()
        lane.run(2, left: 1_000)
        (lane.sample.left, lane.sample.leftBytes) = (0, 0)
        lane.run(0.5, left: 100)
        #expect(lane.history.window(last: .seconds(1)) == nil)
        lane.run(1, left: 100)
        #expect(lane.history.window(last: .seconds(1))?.left == 100)
    }
}
