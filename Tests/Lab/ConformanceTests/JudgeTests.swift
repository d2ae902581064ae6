// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import Statistics
import TestKit
import Testing

/// Whether the measurements can fail, and how seldom they do without a reason. Packets are simulated here: by the right
/// pipeline, or by that of another link.
@Suite struct JudgeTests {
    /// A link with one figure changed.
    struct WrongLink: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let link: Link
        let direction: Direction
        /// What has to fail.
        let aspect: Aspect
        let profile: Profile
        /// The seed that the engine is said to have, where it is not silent about it.
        let seed: UInt64?

        init(
            _ what: String,
            _ name: String,
            _ aspect: Aspect,
            _ direction: Direction = .downlink,
            seed: UInt64? = nil,
            _ change: (inout Impairments) -> Void = { _ in }
        ) {
            guard let link = (Link.all + Link.rates(.userspace)).first(where: { $0.name == name }) else {
                preconditionFailure("no link \(name)")
            }
            testDescription = "\(name) with \(what)"
            self.link = link
            self.direction = direction
            self.aspect = aspect
            self.seed = seed
            var profile = link.profile
            var figures = (direction == .uplink ? profile.uplink : profile.downlink) ?? Impairments()
            change(&figures)
            if direction == .uplink { profile.uplink = figures } else { profile.downlink = figures }
            self.profile = profile
        }
    }

    private static let wrong = [
        WrongLink("2 % more delay", "GEO Propagation Only", .meanDelay) { $0.delay = .milliseconds(285) },
        WrongLink("1 ms more delay", "GEO Propagation Only", .delayDifference, seed: 5) {
            $0.delay = .milliseconds(280)
        },
        WrongLink("2 ms more delay", "DSL", .meanDelay) { $0.delay = .milliseconds(7) },
        WrongLink("2 ms more delay", "RMCAT Default", .delayDifference, seed: 5) { $0.delay = .milliseconds(52) },
        WrongLink("a packet lost", "DSL", .losses) { $0.loss = .random(Probability(fraction: 0.005)) },
        WrongLink("5 % less rate", "DSL", .meanDelay, .uplink) { $0.rate = BitRate(bitsPerSecond: 243_000) },
        WrongLink("5 % more rate", "32000 and 256000 bits a second", .rate, .uplink) {
            $0.rate = BitRate(bitsPerSecond: 33_600)
        },
        WrongLink("2 % less rate", "1000000000 and 64000 bits a second", .rate, .uplink) {
            $0.rate = BitRate(bitsPerSecond: 980_000_000)
        },
        WrongLink("15 % loss", "Very Bad Network", .losses) { $0.loss = .random(Probability(fraction: 0.15)) },
        WrongLink("6 % loss", "Very Bad Network", .losses, .uplink) { $0.loss = .random(Probability(fraction: 0.06)) },
        WrongLink("twice the loss", "Wi-Fi Lossy", .losses) {
            $0.loss = .gilbertElliott(GilbertElliott(p: Probability(fraction: 0.05), r: Probability(fraction: 0.5)))
        },
        WrongLink("longer bursts", "Wi-Fi Lossy", .meanBurst) {
            $0.loss = .gilbertElliott(GilbertElliott(p: Probability(fraction: 0.016), r: Probability(fraction: 0.32)))
        },
        WrongLink("no bursts", "In-Flight Satellite", .meanBurst) { $0.loss = .random(Probability(fraction: 0.07)) },
        WrongLink("a flat shape", "Wanderer", .shape, .uplink) {
            $0.jitter = Jitter(amount: .microseconds(20_785), distribution: .uniform, ordered: false)
        },
        WrongLink("a normal shape", "Wanderer", .shape, .downlink) {
            $0.jitter = Jitter(amount: .milliseconds(10), distribution: .normal, ordered: false)
        },
        WrongLink("half its jitter", "RMCAT Default, single packets", .shape) {
            $0.jitter = Jitter(amount: .microseconds(7_500), distribution: .normal)
        },
        WrongLink("packets that overtake", "RMCAT Default", .overtaken) {
            $0.jitter = Jitter(amount: .milliseconds(15), distribution: .normal, ordered: false)
        },
        WrongLink("two states", "Four states", .meanBurst) { $0.loss = .random(Probability(fraction: 0.063)) },
        WrongLink("half the copies", "Copies, damage, order", .duplicates, .uplink) {
            $0.duplicate = Probability(fraction: 0.015)
        },
        WrongLink("half the damage", "Copies, damage, order", .damaged) { $0.corrupt = Probability(fraction: 0.02) },
        WrongLink("half the overtaking", "Copies, damage, order", .overtaken) {
            $0.reorder = Reorder(probability: Probability(fraction: 0.025))
        },
        WrongLink("losses for marks", "Marks", .losses, .uplink) { $0.ecn = nil },
        WrongLink("no cells", "Cells, and a queue of bytes", .rate, .uplink) { $0.overhead = nil },
        WrongLink("half the queue in packets", "Cells, and a queue of bytes", .longestDelay, .uplink) {
            $0.queue = .packets(20)
        },
        WrongLink("half the queue in bytes", "Cells, and a queue of bytes", .longestDelay) {
            $0.queue = .bytes(15_000)
        },
        WrongLink("another seed", "Wi-Fi Lossy", .otherFates, seed: 6),
    ]

    @Test(arguments: wrong)
    func tellsAWrongLink(_ wrong: WrongLink) throws {
        let sends = wrong.link.traffic(wrong.direction).sends
        let judge = Judge(wrong.link, wrong.direction, sends: sends)
        func finding(_ profile: Profile, seed: UInt64?) throws -> LinkFinding {
            let frameBytes = wrong.link.traffic(wrong.direction).frameBytes
            let record = LaneModel(profile, wrong.direction).record(
                of: sends,
                frameBytes: frameBytes,
                seed: 5,
                isECNCapable: wrong.link.isECNCapable
            )
            return try #require(judge.findings(on: record, seed: seed).first { $0.aspect == wrong.aspect })
        }
        let found = try finding(wrong.profile, seed: wrong.seed)
        #expect(!found.holds, "\(found)")
        let right = try finding(wrong.link.profile, seed: wrong.seed.map { _ in 5 })
        #expect(right.holds, "\(right)")
    }

    @Test func tellsThatARateWasNotFilled() throws {
        let link = try #require(Link.rates(.netem).first)
        let sends = link.uplink.sends.map { $0 * 2 }
        let record = LaneModel(link.profile, .uplink).record(of: sends, frameBytes: link.uplink.frameBytes, seed: 5)
        let findings = Judge(link, .uplink, sends: sends).findings(on: record)
        #expect(findings.contains { $0.aspect == .filling && !$0.holds })
        // What came through says nothing of the rate then.
        #expect(findings.contains { $0.aspect == .rate && $0.holds })
    }

    /// A probe that sends half of its packets late shows that the machine had too little time to fill the link.
    @Test func leavesOpenARateThatTheMachineCouldNotFill() throws {
        let link = try #require(Link.rates(.netem).first)
        let sends = link.uplink.sends.map { $0 * 2 }
        let record = LaneModel(link.profile, .uplink).record(of: sends, frameBytes: link.uplink.frameBytes, seed: 5)
        let findings = Judge(link, .uplink, sends: sends).findings(on: record, backlog: 50)
        #expect(findings.first { $0.aspect == .filling }?.verdict == .inconclusive)
    }

    /// Verdicts of one figure in the order of the runs, d for a failure on a disturbed machine, D for one that no machine
    /// explains, and whether they settle it, and as what.
    @Test(arguments: [
        ("p", true, false), ("fp", true, false), ("i", false, false), ("iiii", false, false), ("iip", true, false),
        ("f", false, false), ("fif", true, true), ("ff", true, true), ("fiii", false, false), ("dddd", false, false),
        ("dfdf", true, true), ("ddp", true, false), ("DD", true, true), ("dD", false, false),
    ])
    func settlesAFigureByItsRuns(runs: String, isSettled: Bool, isWrong: Bool) {
        var settled = SettledFindings()
        for run in runs {
            let measured = ["p": 1.0, "i": 2, "f": 3, "d": 3, "D": 30][run, default: 0]
            let finding = LinkFinding(.meanDelay, modelled: 1, measured: measured, allowed: 0.5...1.5, excusable: 0...2)
            settled.add([finding], of: .uplink, lateness: run == "d" || run == "D" ? 6 : 0)
            // Of another direction.
            settled.add([LinkFinding(.meanDelay, modelled: 1, measured: 1, allowed: 0.5...1.5)], of: .downlink)
        }
        #expect(settled.isSettled == isSettled && settled.wrong.isEmpty != isWrong, "\(settled)")
    }

    @Test func tellsWhatTheMachineTookFromWhatTheLinkDid() throws {
        let link = try #require(Link.all.first)
        let sends = link.uplink.sends
        let right = LaneModel(link.profile, .uplink).record(of: sends, frameBytes: link.uplink.frameBytes, seed: 5)
        let late = FlowRecord(
            frameBytes: right.frameBytes,
            sends: sends,
            arrivals: right.arrivals.map { .init(packet: $0.packet, time: $0.time + 4_000_000) }
        )
        let judge = Judge(link, .uplink, sends: sends)
        #expect(judge.findings(on: late, MachineNoise(ownDelay: 4)).allSatisfy { $0.holds })
        // Every second wake 8 ms later than usual, or half that where a packet takes two.
        #expect(judge.findings(on: late, MachineNoise(lateness: [0, 8])).allSatisfy { $0.holds })
        #expect(judge.findings(on: late, MachineNoise(lateness: [0, 4], wakes: 2)).allSatisfy { $0.holds })
        #expect(judge.findings(on: late).contains { $0.aspect == .meanDelay && !$0.holds })
        // Earlier than the model is no lateness.
        #expect(judge.findings(on: right, MachineNoise(ownDelay: 4, lateness: [9])).contains { !$0.holds })
    }

    /// A shape that a busy machine has drawn out holds, and a link that does the same on an idle one does not.
    @Test func tellsAShapeFromALateOne() throws {
        let link = try #require(Link.all.last)
        let sends = link.uplink.sends
        let right = LaneModel(link.profile, .uplink).record(of: sends, frameBytes: link.uplink.frameBytes, seed: 5)
        let late = FlowRecord(
            frameBytes: right.frameBytes,
            sends: sends,
            arrivals: right.arrivals.map { .init(packet: $0.packet, time: $0.time + Int64($0.packet % 4 * 2_000_000)) }
        )
        let judge = Judge(link, .uplink, sends: sends)
        let lateness = (0..<1000).map { Double($0 % 4 * 2) }
        func shape(_ machine: MachineNoise) throws -> LinkFinding {
            try #require(judge.findings(on: late, machine).first { $0.aspect == .shape })
        }
        #expect(try shape(MachineNoise(lateness: lateness)).holds)
        #expect(try !shape(MachineNoise()).holds)
    }

    /// A right engine fails a finding of a single run as seldom as the budget says.
    @Test func failsARightLinkAsSeldomAsItSays() {
        var (count, failures) = (0, 0)
        for link in Link.all {
            for direction in Direction.allCases {
                let traffic = link.traffic(direction)
                let judge = Judge(link, direction, sends: traffic.sends)
                for seed in 1...6 as ClosedRange<UInt64> {
                    let model = LaneModel(link.profile, direction)
                    let record = model.record(
                        of: traffic.sends,
                        frameBytes: traffic.frameBytes,
                        seed: seed,
                        isECNCapable: link.isECNCapable
                    )
                    let findings = judge.findings(on: record, seed: seed)
                    count += findings.count(where: \.aspect.isStatistical)
                    failures += findings.count { !$0.holds }
                }
            }
        }
        // Once in a million.
        let bounds = CountDistribution.binomial(trials: count, probability: Link.budget.perRun).bounds(error: 2e-6)
        #expect(failures <= bounds.upperBound, "\(failures) of \(count)")
    }

    /// So much is left to chance that the budget is one, and no more than a single run can still tell links apart by.
    @Test func hasABudgetForAllThatIsLeftToChance() {
        #expect(Link.budget.suite == 0.001)
        #expect(Link.budget.checks >= 60)
        #expect(Link.budget.perRun * Link.budget.perRun * Double(Link.budget.checks) <= 0.001001)
    }
}
