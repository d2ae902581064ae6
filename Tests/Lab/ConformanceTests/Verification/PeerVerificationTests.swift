// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import TestKit
import Testing

/// What `verify --peer` says of simulated links whose two ends may have different clocks.
@Suite struct PeerVerificationTests {
    private static let asked: Profile = {
        var profile = Profile(name: "Asked")
        profile.uplink = Impairments()
        profile.uplink?.delay = .milliseconds(40)
        profile.uplink?.rate = BitRate(bitsPerSecond: 4_000_000)
        profile.uplink?.queue = .time(.milliseconds(200))
        profile.downlink = Impairments()
        profile.downlink?.delay = .milliseconds(10)
        profile.downlink?.jitter = Jitter(amount: .milliseconds(2), distribution: .normal)
        profile.downlink?.loss = .random(Probability(fraction: 0.03))
        profile.downlink?.corrupt = Probability(fraction: 0.02)
        return profile
    }()

    /// - Parameters:
    ///   - ahead: milliseconds that the other clock seems to be ahead, and is not.
    ///   - way: milliseconds that the path takes by itself each way.
    private func verification(
        _ carried: Profile,
        ahead: Double = 0,
        clockError: Double = 0,
        way: Double = 0,
        isWayKnown: Bool = true,
        seed: UInt64 = 1
    ) -> Verification {
        var verification = Verification(Self.asked)
        verification.path = PeerPath(clockError: clockError, ownRoundTrip: isWayKnown ? 2 * way : nil)
        let phases = VerificationPlan(Self.asked, budget: .seconds(90)).phases.compactMap {
            $0.withPeer(isIPv6: false)
        }
        func measure(_ phases: [ProbePhase], seed: UInt64) {
            for phase in phases {
                var record = phase.simulated(through: carried, seed: seed)
                for (direction, flow) in record.flows {
                    // Where the other clock is thought to be too far ahead, what comes there seems to come early.
                    let late = way - (direction == .uplink ? ahead : -ahead)
                    let arrivals = flow.arrivals.filter { !$0.isDamaged }.map { arrival in
                        FlowRecord.Arrival(packet: arrival.packet, time: arrival.time + Int64(late * 1e6))
                    }
                    record.flows[direction] = FlowRecord(
                        frameBytes: flow.frameBytes,
                        sends: flow.sends,
                        arrivals: arrivals
                    )
                }
                verification.add(record, of: phase)
            }
        }
        measure(phases, seed: seed)
        measure(verification.failures(of: phases), seed: seed &+ 1_000_000)
        return verification
    }

    private func wrong(_ verification: Verification) -> [Aspect] {
        verification.parts.flatMap(\.findings).filter { $0.verdict == .fail }.map(\.aspect)
    }

    @Test func passesARightLinkWhateverTheClocks() {
        for seed in 1...10 as ClosedRange<UInt64> {
            #expect(verification(Self.asked, way: 0.3, seed: seed).verdict == .pass)
            #expect(verification(Self.asked, ahead: 15, clockError: 25, way: 3, seed: seed).verdict == .pass)
        }
        let found = verification(Self.asked)
        #expect(found.parts.contains { $0.findings.contains { $0.aspect == .medianDelay } })
        #expect(!found.parts.contains { $0.kind == .tcp || $0.kind == .ipv6 })
    }

    private static let changes: [(String, Aspect, @Sendable (inout Profile) -> Void)] = [
        ("twice the delay", .bothWays, { $0.uplink?.delay = .milliseconds(80) }),
        ("too little delay", .bothWays, { $0.downlink?.delay = .milliseconds(5) }),
        ("half the loss", .losses, { $0.downlink?.loss = .random(Probability(fraction: 0.015)) }),
        ("half the queue", .longestDelay, { $0.uplink?.queue = .time(.milliseconds(100)) }),
        ("half the rate", .rate, { $0.uplink?.rate = BitRate(bitsPerSecond: 2_000_000) }),
        (
            "flat jitter", .tailDelay,
            { $0.downlink?.jitter = Jitter(amount: .milliseconds(2), distribution: .uniform) }
        ),
        ("damage that is not asked", .losses, { $0.uplink?.corrupt = Probability(fraction: 0.02) }),
    ]

    @Test(arguments: changes.indices) func tellsAWrongLinkWhateverTheClocks(_ number: Int) {
        let (name, aspect, change) = Self.changes[number]
        var carried = Self.asked
        change(&carried)
        for seed in 1...5 as ClosedRange<UInt64> {
            for (ahead, clockError) in [(0.0, 0.0), (15, 25)] {
                let found = verification(carried, ahead: ahead, clockError: clockError, way: 1, seed: seed)
                #expect(wrong(found).contains(aspect), "\(name): \(wrong(found))")
            }
        }
    }

    /// Delays that are exchanged make the same sum: only clocks that are known tell.
    @Test func judgesOneWayOnlyWithClocksThatTell() {
        var exchanged = Self.asked
        exchanged.uplink?.delay = .milliseconds(10)
        exchanged.downlink?.delay = .milliseconds(40)
        #expect(wrong(verification(exchanged)).contains(.medianDelay))
        let found = verification(exchanged, clockError: 25)
        #expect(!found.parts.contains { $0.findings.contains { $0.aspect == .medianDelay } })
    }

    /// What takes longer than asked may be the path's; what takes less may not.
    @Test func leavesOpenWhatAnUnknownPathCouldTake() {
        var slower = Self.asked
        slower.uplink?.delay = .milliseconds(60)
        let found = verification(slower, isWayKnown: false)
        #expect(found.verdict == .inconclusive)
        var faster = Self.asked
        faster.uplink?.delay = .milliseconds(20)
        #expect(wrong(verification(faster, isWayKnown: false)) == [.bothWays])
    }
}
