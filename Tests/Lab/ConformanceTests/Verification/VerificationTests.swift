// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import ProfileCatalog
import TestKit
import Testing

/// What `verify` says of links that are simulated: right ones, wrong ones, and right ones on a busy machine.
@Suite struct VerificationTests {
    /// One that has all figures that are told apart.
    private static let right: Profile = {
        var profile = Profile(name: "Right")
        profile.uplink = Impairments()
        profile.uplink?.delay = .milliseconds(20)
        profile.uplink?.jitter = Jitter(amount: .milliseconds(4), distribution: .normal)
        profile.uplink?.rate = BitRate(bitsPerSecond: 4_000_000)
        profile.uplink?.queue = .time(.milliseconds(200))
        profile.downlink = Impairments()
        profile.downlink?.delay = .milliseconds(40)
        profile.downlink?.loss = GilbertElliott(loss: Probability(fraction: 0.02), burst: 4).map { .gilbertElliott($0) }
        profile.downlink?.rate = BitRate(bitsPerSecond: 8_000_000)
        profile.downlink?.queue = .time(.milliseconds(100))
        profile.dns = DNSImpairment(delay: .milliseconds(80))
        return profile
    }()

    struct WrongLink: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// What has to fail.
        let aspect: Aspect
        let profile: Profile

        init(_ what: String, _ aspect: Aspect, _ change: (inout Profile) -> Void) {
            (testDescription, self.aspect) = (what, aspect)
            var profile = VerificationTests.right
            change(&profile)
            self.profile = profile
        }
    }

    private static let wrong = [
        WrongLink("a queue of 10 packets", .longestDelay) { $0.downlink?.queue = .packets(10) },
        WrongLink("a queue half as deep", .longestDelay) { $0.downlink?.queue = .time(.milliseconds(50)) },
        WrongLink("bytes for bits", .rate) { $0.uplink?.rate = BitRate(bitsPerSecond: 500_000) },
        WrongLink("a rate that is 2 % low", .rate) { $0.uplink?.rate = BitRate(bitsPerSecond: 3_920_000) },
        WrongLink("twice the delay", .medianDelay) { $0.downlink?.delay = .milliseconds(80) },
        WrongLink("half the loss", .losses) {
            $0.downlink?.loss = GilbertElliott(loss: Probability(fraction: 0.01), burst: 4).map { .gilbertElliott($0) }
        },
        WrongLink("losses one by one", .meanBurst) { $0.downlink?.loss = .random(Probability(fraction: 0.02)) },
        WrongLink("flat jitter", .tailDelay) {
            $0.uplink?.jitter = Jitter(amount: .milliseconds(4), distribution: .uniform)
        },
        WrongLink("jitter out of order", .overtaken) {
            $0.uplink?.jitter = Jitter(amount: .milliseconds(4), distribution: .normal, ordered: false)
        },
        WrongLink("its lanes exchanged", .medianDelay) { ($0.uplink, $0.downlink) = ($0.downlink, $0.uplink) },
        WrongLink("no lane for DNS", .medianDelay) { $0.dns = nil },
        WrongLink("copies", .duplicates) { $0.uplink?.duplicate = Probability(fraction: 0.01) },
        WrongLink("damage", .losses) { $0.uplink?.corrupt = Probability(fraction: 0.05) },
    ]

    private static let budget = Duration.seconds(90)

    /// What is said of a link that carries other conditions than were asked.
    private func verification(_ asked: Profile, _ carried: Profile, seed: UInt64) -> Verification {
        let plan = VerificationPlan(asked, budget: Self.budget)
        var verification = Verification(asked)
        func measure(_ phases: [ProbePhase], seed: UInt64) {
            for phase in phases { verification.add(phase.simulated(through: carried, seed: seed), of: phase) }
        }
        measure(plan.phases, seed: seed)
        measure(verification.failures(of: plan.phases), seed: seed &+ 1_000_000)
        return verification
    }

    @Test(arguments: wrong) func tellsAWrongLink(_ link: WrongLink) {
        for seed in 1...Extent.choose(once: 4, all: 20, soak: 20) as ClosedRange<UInt64> {
            let found = verification(Self.right, link.profile, seed: seed)
            let failed = found.parts.flatMap(\.findings).filter { $0.verdict == .fail }
            #expect(found.verdict == .fail && failed.contains { $0.aspect == link.aspect }, "seed \(seed): \(failed)")
        }
    }

    /// netem without anything that cuts them decides about super-packets: as many packets are lost, always several at once.
    @Test(arguments: [0.005, 0.02, 0.1]) func tellsLossesOfWholeSuperPackets(share: Double) throws {
        var link = Profile(name: "Losses")
        link.downlink = Impairments()
        link.downlink?.loss = .random(Probability(fraction: share))
        let plan = VerificationPlan(link, budget: .seconds(20))
        let phase = try #require(plan.phases.first { $0.kind == .superPackets })
        for seed in 1...Extent.choose(once: 4, all: 20, soak: 20) as ClosedRange<UInt64> {
            var record = phase.simulated(through: link, seed: seed)
            record.flows = record.flows.mapValues { flow in
                let came = Set(flow.arrivals.map(\.packet))
                let group = phase.flows[.downlink]?.group ?? 1
                let arrivals = flow.sends.indices.filter { came.contains($0 / group * group) }
                return FlowRecord(
                    frameBytes: flow.frameBytes,
                    sends: flow.sends,
                    arrivals: arrivals.map { FlowRecord.Arrival(packet: $0, time: flow.sends[$0]) }
                )
            }
            var verification = Verification(link)
            verification.add(record, of: phase)
            let failed = verification.parts.flatMap(\.findings).filter { $0.verdict == .fail }
            #expect(failed.contains { $0.aspect == .meanBurst }, "seed \(seed): \(verification.parts)")
        }
    }

    /// More packets in a row than the figures allow.
    @Test func findsBurstsThatAreTooLong() throws {
        let asked = try Catalog(directories: []).profile("QUIC Interop Handshake Loss").profile
        var carried = asked
        carried.downlink?.loss = .random(Probability(fraction: 0.3))
        let plan = VerificationPlan(asked, budget: .seconds(20))
        for (link, isRight) in [(asked, true), (carried, false)] {
            var verification = Verification(asked)
            for phase in plan.phases { verification.add(phase.simulated(through: link, seed: 3), of: phase) }
            let bursts = verification.parts.flatMap(\.findings).filter { $0.aspect == .longestBurst }
            #expect(!bursts.isEmpty && bursts.allSatisfy { $0.verdict == .pass } == isRight, "\(bursts)")
        }
    }

    /// Not one in a hundred fails, of links with all kinds of figures.
    @Test func passesRightLinks() throws {
        let names = ["DSL", "Wi-Fi Lossy", "RMCAT Default", "Very Bad Network", "In-Flight Satellite", "Black Hole"]
        let profiles = try [Self.right] + names.map { try Catalog(directories: []).profile($0).profile }
        var count = 0
        for seed in 1...15 as ClosedRange<UInt64> {
            for profile in profiles {
                let found = verification(profile, profile, seed: seed)
                guard found.verdict != .pass else { continue }
                count += 1
                print(
                    "\(profile.name), seed \(seed): \(found.parts.flatMap(\.findings).filter { $0.verdict != .pass })"
                )
            }
        }
        #expect(count <= 1)
    }

    /// Losses before the bottleneck, damage behind it, and an outage: the rest is judged all the same.
    @Test(arguments: ["Handshake Loss", "Handshake Corruption", "Transfer Corruption", "Blackhole"])
    func passesLinksThatLoseMuch(name: String) throws {
        let profile = try Catalog(directories: []).profile("QUIC Interop \(name)").profile
        for seed in 1...3 as ClosedRange<UInt64> {
            let found = verification(profile, profile, seed: seed)
            let others = found.parts.flatMap(\.findings).filter { $0.verdict != .pass }
            #expect(others.isEmpty, "seed \(seed): \(others)")
        }
    }

    /// Seldom two losses in a row: a dozen runs of the model may have none.
    @Test func allowsABurstThatTheModelSeldomHas() throws {
        let profile = try Catalog(directories: []).profile("G1050 Severity F").profile
        for seed in 1...Extent.choose(once: 6, all: 30, soak: 30) as ClosedRange<UInt64> {
            let bursts = verification(profile, profile, seed: seed).parts.flatMap(\.findings)
                .filter { $0.aspect == .meanBurst }
            #expect(!bursts.isEmpty && bursts.allSatisfy { $0.verdict == .pass }, "seed \(seed): \(bursts)")
        }
    }

    /// Of the second in which an outage begins, 40 ms may be left, of which a step that is 7 ms early takes a sixth.
    @Test func judgesNoSecondOfAFewPackets() throws {
        let asked = try Catalog(directories: []).profile("QUIC Interop Blackhole").profile
        var carried = asked
        for index in [0, 1] { carried.schedule?.steps[index].at += .milliseconds(3) }
        let phases = VerificationPlan(asked, budget: Self.budget).phases.filter { $0.kind == .full }
        #expect(!phases.isEmpty)
        for phase in phases {
            var record = phase.simulated(through: carried, seed: 1)
            record.start = 10_000_000
            var verification = Verification(asked)
            verification.add(record, of: phase)
            let seconds = verification.parts.flatMap(\.findings).filter {
                $0.aspect == .slowestSecond || $0.aspect == .fastestSecond
            }
            #expect(!seconds.isEmpty && seconds.allSatisfy { $0.verdict == .pass }, "\(seconds)")
        }
    }

    /// Whatever the figures, with few packets.
    @Test func judgesEveryLink() {
        // `verify` leaves competing traffic out of a link.
        var profiles = Catalog(directories: []).all().profiles.map(\.profile)
            .filter { !$0.lanes.isEmpty && $0.downlink?.competing == nil && $0.uplink?.competing == nil }
        for (p, r) in [(0.0, 0.0), (0.1, 0.0), (0.0, 0.5), (1.0, 1.0)] {
            var profile = Profile(name: "p \(p), r \(r)")
            profile.uplink = Impairments()
            let chain = GilbertElliott(p: Probability(fraction: p), r: Probability(fraction: r))
            profile.uplink?.loss = .gilbertElliott(chain)
            profiles.append(profile)
        }
        var wrong: [String] = []
        for profile in profiles {
            let plan = VerificationPlan(profile, budget: .seconds(8))
            var verification = Verification(profile)
            for phase in plan.phases { verification.add(phase.simulated(through: profile, seed: 5), of: phase) }
            let again = verification.failures(of: plan.phases)
            for phase in again { verification.add(phase.simulated(through: profile, seed: 6), of: phase) }
            if verification.verdict == .fail { wrong.append(profile.name) }
        }
        #expect(profiles.count > 100 && wrong.count <= 1, "\(wrong)")
    }

    /// A machine that wakes nobody in time for a while makes no link wrong.
    @Test func leavesOpenWhatABusyMachineCouldHaveDone() {
        var verification = Verification(Self.right)
        let plan = VerificationPlan(Self.right, budget: .seconds(20))
        for phase in plan.phases {
            var record = phase.simulated(through: Self.right, seed: 3)
            // Every fourth wake is 20 ms late.
            record.lateness = (0..<1_000).map { $0 % 4 == 0 ? 20 : 0 }
            record.flows = record.flows.mapValues { flow in
                let arrivals = flow.arrivals.enumerated().map { number, arrival in
                    let late: Int64 = number % 4 == 0 ? 20_000_000 : 0
                    return FlowRecord.Arrival(packet: arrival.packet, time: arrival.time + late)
                }
                return FlowRecord(frameBytes: flow.frameBytes, sends: flow.sends, arrivals: arrivals)
            }
            verification.add(record, of: phase)
        }
        #expect(verification.verdict == .inconclusive)
    }

    /// Each kind of packets that does not come at all is a figure that fails, and none that is left out.
    @Test func failsWhereNothingComes() {
        for phase in VerificationPlan(Self.right, budget: .seconds(20)).phases where phase.kind != .full {
            var record = phase.simulated(through: Self.right, seed: 3)
            record.roundTrips = []
            record.flows = record.flows.mapValues { flow in
                FlowRecord(frameBytes: flow.frameBytes, sends: flow.sends, arrivals: [])
            }
            var verification = Verification(Self.right)
            verification.add(record, of: phase)
            #expect(verification.verdict == .fail, "\(phase.kind)")
        }
    }

    @Test func saysNothingOfALinkThatWasNotFilled() {
        var verification = Verification(Self.right)
        let plan = VerificationPlan(Self.right, budget: .seconds(20))
        for var phase in plan.phases where phase.kind == .full {
            phase.flows = phase.flows.mapValues { traffic in
                ProbeTraffic(packets: traffic.packets, interval: traffic.interval * 3, payload: traffic.payload)
            }
            verification.add(phase.simulated(through: Self.right, seed: 3), of: phase)
        }
        #expect(verification.verdict == .inconclusive)
    }
}
