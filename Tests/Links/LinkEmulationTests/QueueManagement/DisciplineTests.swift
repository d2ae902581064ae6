// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

/// What all disciplines have in common, and what distinguishes them.
@Suite struct DisciplineTests {
    private static let managed: [QueueManagement.Discipline] = [.codel, .fqCodel, .pie, .cake, .dualPI2]

    @Test(arguments: QueueManagement.Discipline.allCases)
    func repeatsItselfAndLosesNoPacketUntold(discipline: QueueManagement.Discipline) {
        var load = QueueLoad(QueueManagement(discipline))
        load.competing = [CompetingFlows(.bulk), CompetingFlows(.web(pagesPerMinute: 30))]
        load.load = 0.5
        let (first, second) = (load.result, load.result)
        #expect(first == second)
        #expect(first.delays.count + first.drops.count == load.seconds * 1_000_000_000 / Int(load.gap))
    }

    @Test(arguments: managed) func keepsTheDelayShort(discipline: QueueManagement.Discipline) {
        let result = QueueLoad(QueueManagement(discipline)).result
        #expect(result.quantile(0.5) < 30, "\(result.quantile(0.5)) ms")
        // It sends at the rate all the time.
        #expect(result.delays.count > 24_500)
    }

    @Test(arguments: [QueueManagement.Discipline.dropTail, .dropHead])
    func fillsAQueueWithoutManagement(discipline: QueueManagement.Discipline) {
        #expect(QueueLoad(QueueManagement(discipline)).result.quantile(0.9) > 1_000)
    }

    /// The oldest packets are dropped: those that arrive are younger.
    @Test func deliversLatePacketsSoonerByDroppingTheHead() {
        let tail = QueueLoad(QueueManagement(.dropTail)).result
        let head = QueueLoad(QueueManagement(.dropHead)).result
        #expect(head.quantile(0.9) < tail.quantile(0.9) - 50)
    }

    /// RFC 8290: a flow that takes less than its share hardly waits for others.
    @Test(arguments: [QueueManagement.Discipline.fqCodel, .cake])
    func isolatesFlows(discipline: QueueManagement.Discipline) {
        var load = QueueLoad(QueueManagement(discipline))
        (load.load, load.competing) = (0.05, [CompetingFlows(.bulk)])
        let result = load.result
        #expect(result.drops.isEmpty && result.quantile(0.95) < 3 * 1.22, "\(result.quantile(0.95)) ms")
        load.management = QueueManagement(.dropTail)
        #expect(load.result.quantile(0.5) > 100)
    }

    @Test(arguments: managed) func marks(discipline: QueueManagement.Discipline) {
        var load = QueueLoad(QueueManagement(discipline))
        load.ecn = .classic
        // PIE marks while its probability is at most a tenth: then it drops, since marks have not slowed the sender down.
        #expect(load.result.marks.count > 5, "\(load.result.marks.count) marks")
    }

    /// RFC 9332, section 2: the low-latency queue has its own delay, and classic traffic the other.
    @Test func couplesTwoQueues() {
        var load = QueueLoad(QueueManagement(.dualPI2))
        (load.load, load.competing) = (0.05, [CompetingFlows(.bulk)])
        load.ecn = .scalable
        let scalable = load.result
        load.ecn = .classic
        let classic = load.result
        #expect(scalable.quantile(0.95) < 4 && classic.quantile(0.5) > 8)
        // Marks of the low-latency queue follow the other's: twice the square root of its probability.
        #expect(scalable.marks.count > 10 * max(classic.marks.count, 1) / 4)
    }

    /// As in Linux, PIE's probability counts on above 1 during congestion, so that the queue stays empty for long afterwards.
    @Test func keepsTheQueueEmptyAfterLongCongestionWithPIE() {
        var load = QueueLoad(QueueManagement(.pie))
        (load.load, load.seconds) = (2.5, 6)
        #expect(load.result.quantile(0.5) < 12, "\(load.result.quantile(0.5)) ms")
        #expect(load.result.quantile(0.99) > 300)
    }

    /// As in Linux, the first drop of a new queue of cake comes as soon as packets are late.
    @Test func dropsEarlierWithCakeThanWithCoDel() throws {
        var load = QueueLoad(QueueManagement(.cake))
        (load.load, load.seconds, load.queue) = (1.5, 2, .packets(100_000))
        let cake = try #require(load.result.drops.first)
        load.management = QueueManagement(.fqCodel)
        let codel = try #require(load.result.drops.first)
        #expect(cake < 30_000_000 && codel > 100_000_000, "\(cake), \(codel)")
    }

    @Test func holdsThePacketsOfAnOutage() {
        var load = QueueLoad(QueueManagement(.codel))
        load.load = 0.2
        var conditions = load.conditions
        var hold = Impairments()
        hold.rate = BitRate(bitsPerSecond: 0)
        conditions.steps = [.init(at: .seconds(1), overrides: hold), .init(at: .seconds(2), overrides: Impairments())]
        var pipeline = LinkPipeline(conditions, seed: 1, start: LinkTime(nanoseconds: 0))
        var silence: [Int64] = []
        let arrivals = (0..<400).map {
            LinkPipeline.Arrival(time: LinkTime(nanoseconds: Int64($0) * 6_000_000), frameBytes: 1_514)
        }
        pipeline.simulate(arrivals) { if $0.drop == nil { silence.append($0.due.nanoseconds) } }
        let gap = zip(silence.dropFirst(), silence).map { $0 - $1 }.max() ?? 0
        #expect((990_000_000...1_010_000_000).contains(gap), "\(gap)")
    }
}
