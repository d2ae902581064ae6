// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

/// Competing traffic, seen by the packets of a client on the same link.
@Suite struct CompetingTrafficTests {
    private func load(_ kind: CompetingFlows.Kind, share: Double = 0.05, _ change: (inout QueueLoad) -> Void = { _ in })
        -> QueueLoad.Result
    {
        var load = QueueLoad(QueueManagement(.dropTail))
        (load.load, load.competing, load.seconds) = (share, [CompetingFlows(kind)], 60)
        change(&load)
        return load.result
    }

    /// A long flow fills whatever queue there is.
    @Test func waitsBehindADownload() {
        #expect(load(.bulk).quantile(0.5) > 500)
        #expect(load(.bulk) { $0.queue = .packets(50) }.quantile(0.95) < 62)
    }

    /// Segments of 4 s: 8 Mbit/s take 0.8 of the time on a link of 10.
    @Test func waitsBehindAFilmWhileASegmentComes() {
        let delays = load(.video(BitRate(bitsPerSecond: 2_000_000))).delays
        let busy = delays.filter { $0 > 5_000_000 }.count
        #expect((0.1...0.35).contains(Double(busy) / Double(delays.count)), "\(busy) of \(delays.count)")
    }

    @Test func meetsACallForAMoment() {
        let delays = load(.call(BitRate(bitsPerSecond: 100_000))).delays
        #expect(delays.allSatisfy { $0 < 1_500_000 } && delays.contains { $0 > 1_250_000 })
    }

    /// More than a packet holds in 20 ms, and less than the smallest: the rate is that of the figure all the same.
    @Test func sendsACallAtItsRate() {
        func queue(_ rate: UInt64) -> Double { load(.call(BitRate(bitsPerSecond: rate))).quantile(0.5) }
        #expect(queue(12_000_000) > 500 && queue(9_000_000) < 5)
        let slow = load(.call(BitRate(bitsPerSecond: 6_400))) { ($0.rate, $0.load) = (64_000, 0.2) }
        // A packet of 64 bytes every 80 ms takes a tenth of this link, and would take four tenths every 20 ms.
        let met = Double(slow.delays.filter { $0 > 190_000_000 }.count) / Double(slow.delays.count)
        #expect((0.02...0.25).contains(met), "\(met)")
    }

    /// So many pages a minute, of 2.5 MB on the median: 2 s each on this link.
    @Test func waitsBehindPagesNowAndThen() {
        let delays = load(.web(pagesPerMinute: 3)).delays
        let busy = Double(delays.filter { $0 > 5_000_000 }.count) / Double(delays.count)
        #expect((0.02...0.6).contains(busy), "\(busy)")
    }

    /// Of 40 kB each: a page is gone after 32 ms on this link, and sixty of them take 3 % of a minute.
    @Test func waitsBehindSmallPagesForAMoment() {
        var flows = CompetingFlows(.web(pagesPerMinute: 60))
        (flows.page, flows.connections, flows.roundTrip) = (ByteCount(bytes: 40_000), 1, .milliseconds(10))
        let result = load(.bulk) { $0.competing = [flows] }
        let busy = Double(result.delays.filter { $0 > 2_000_000 }.count) / Double(result.delays.count)
        #expect((0.003...0.1).contains(busy) && result.quantile(1) < 80, "\(busy), \(result.quantile(1))")
    }

    /// A plain queue has the same room, with the packet that is being sent, as on a link of one's own.
    @Test(arguments: [QueueSize.packets(1), .packets(20), .bytes(30_000)])
    func changesNothingBeforeItBegins(queue: QueueSize) {
        var load = QueueLoad(QueueManagement(.dropTail))
        (load.load, load.seconds, load.queue) = (1.5, 2, queue)
        let alone = load.result
        var flows = CompetingFlows(.bulk)
        flows.start = .seconds(3600)
        load.competing = [flows]
        #expect(load.result == alone && !alone.drops.isEmpty)
    }

    @Test func beginsAndEndsAsAsked() {
        var flows = CompetingFlows(.bulk)
        (flows.start, flows.end) = (.seconds(20), .seconds(30))
        var load = QueueLoad(QueueManagement(.dropTail))
        (load.load, load.competing, load.seconds) = (0.05, [flows], 60)
        let result = load.result
        let times = zip(result.tags, result.delays).map { (Int64($0) * load.gap, $1) }
        #expect(times.filter { $0.0 < 20_000_000_000 || $0.0 > 32_000_000_000 }.allSatisfy { $0.1 < 1_300_000 })
        #expect(times.contains { $0.0 > 22_000_000_000 && $0.0 < 30_000_000_000 && $0.1 > 100_000_000 })
    }

    /// Two flows with the same round trip share a link about equally, with a client as a third.
    @Test func losesAsRealPacketsDo() {
        let lossless = load(.bulk) { $0.queue = .packets(10_000) }
        let lossy = load(.bulk) {
            $0.queue = .packets(10_000)
            $0.loss = .random(Probability(fraction: 0.05))
        }
        #expect(lossy.quantile(0.5) < lossless.quantile(0.5) / 10)
    }

    /// Whether the packets of a client come a second or an hour after the link's start, it meets the same kind of traffic.
    @Test func doesNotComputeHoursOfSilence() {
        var load = QueueLoad(QueueManagement(.dropTail))
        load.competing = [CompetingFlows(.bulk)]
        var pipeline = LinkPipeline(load.conditions, seed: 1, start: LinkTime(nanoseconds: 0))
        let hour: Int64 = 3_600_000_000_000
        let arrivals = (0..<2_000).map {
            LinkPipeline.Arrival(time: LinkTime(nanoseconds: 20 * hour + $0 * 10_000_000), frameBytes: 100)
        }
        var delays: [Int64] = []
        pipeline.simulate(arrivals) { departure in
            if departure.drop == nil {
                delays.append(departure.due.nanoseconds - arrivals[Int(departure.tag)].time.nanoseconds)
            }
        }
        #expect(delays.count > 1_500 && delays.sorted()[delays.count / 2] > 100_000_000)
    }

    /// Asking often for what is due must not change what happens.
    @Test func doesNotDependOnWhenItIsAsked() {
        var load = QueueLoad(QueueManagement(.fqCodel))
        load.competing = [CompetingFlows(.bulk), CompetingFlows(.web(pagesPerMinute: 60))]
        func fates(askingEvery step: Int64?) -> [Departure] {
            var pipeline = LinkPipeline(load.conditions, seed: 3, start: LinkTime(nanoseconds: 0))
            var departures: [Departure] = []
            var asked: Int64 = 0
            for number in 0..<2_000 as Range<Int64> {
                let time = number * 3_000_000
                if let step {
                    while asked + step <= time {
                        asked += step
                        while let next = pipeline.popDeparture(upTo: LinkTime(nanoseconds: asked)) {
                            departures.append(next)
                        }
                    }
                }
                while let next = pipeline.popDeparture(upTo: LinkTime(nanoseconds: time)) { departures.append(next) }
                _ = pipeline.accept(
                    arrival: LinkTime(nanoseconds: time),
                    frameBytes: 1_000,
                    tag: UInt32(number),
                    flow: UInt16(number % 3)
                )
            }
            while let next = pipeline.popDeparture(upTo: .never) { departures.append(next) }
            return departures
        }
        #expect(fates(askingEvery: nil) == fates(askingEvery: 700_000))
    }
}
