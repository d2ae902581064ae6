// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

import struct TestKit.SeededGenerator

@testable import Probing
@testable import Reachability

@Suite struct PathConditionsTests {
    private static let slowNet = PathConditions(
        profile: "Slow Net",
        roundTrip: .milliseconds(249),
        dnsDelay: .milliseconds(200)
    )
    private static let nastyNet = PathConditions(profile: "Nasty Net", roundTrip: .milliseconds(249), loss: 0.99)
    private static let blackHole = PathConditions(profile: "Black Hole", loss: 1)
    private static let clean = PathConditions(profile: "Clean")
    private static let policy = Policy()

    @Test func explainsLatencyByDelay() {
        #expect(Self.slowNet.explains(.degraded, .latency, Self.policy) == true)
        #expect(Self.slowNet.explains(.degraded, .loss, Self.policy) == false)
        #expect(Self.slowNet.explains(.unreachable, .blackHole, Self.policy) == false)
        #expect(Self.clean.explains(.degraded, .latency, Self.policy) == false)
        #expect(Self.blackHole.explains(.degraded, .latency, Self.policy) == false)
    }

    @Test func explainsSilenceByDelayBeyondTheTimeLimit() {
        let slow = PathConditions(profile: "Slow", roundTrip: .seconds(1))
        #expect(slow.explains(.unreachable, .blackHole, Self.policy) == true)
        #expect(slow.explains(.unreachable, .refused, Self.policy) == false)
        var patient = Self.policy
        patient.timeout = .seconds(2)
        #expect(slow.explains(.unreachable, .blackHole, patient) == false)
    }

    @Test func holdsTheDelayOfNamesOnlyAgainstNames() {
        let slow = PathConditions(profile: "Slow names", roundTrip: .milliseconds(100), dnsDelay: .seconds(1))
        #expect(slow.explains(.degraded, .latency, Self.policy) == false)
        #expect(slow.explains(.degraded, .latency, Self.policy, asksDNS: true) == true)
        #expect(slow.explains(.unreachable, .blackHole, Self.policy) == false)
        #expect(slow.explains(.unreachable, .blackHole, Self.policy, asksDNS: true) == true)
        #expect(slow.explains(.unreachable, .queryTimeout, Self.policy) == true)
    }

    @Test func explainsSilenceByLossButNoWordThatSomethingIsWrong() {
        let silences: [Reason] = [
            .blackHole, .queryTimeout, .halfOpen, .tlsTimeout, .firstByteTimeout, .bodyTimeout,
        ]
        let words: [Reason] = [
            .refused, .reset, .nxdomain, .servfail, .netUnreachable, .hostUnreachable, .adminProhibited, .noRoute,
            .noCarrier, .tlsExpired, .tlsAlert, .status, .redirect,
        ]
        for conditions in [Self.nastyNet, Self.blackHole] {
            for reason in silences { #expect(conditions.explains(.unreachable, reason, Self.policy) == true) }
            for reason in words { #expect(conditions.explains(.unreachable, reason, Self.policy) == false) }
            #expect(conditions.explains(.limited, .blackHole, Self.policy) == true)
            #expect(conditions.explains(.captive, .portalContent, Self.policy) == false)
            #expect(conditions.explains(.degraded, .loss, Self.policy) == true)
            #expect(conditions.explains(.degraded, .familyBroken, Self.policy) == true)
        }
        for reason in silences { #expect(Self.clean.explains(.unreachable, reason, Self.policy) == false) }
    }

    /// Three losses in a row come once in a thousand times where one of ten probes is lost.
    @Test func doesNotExplainAnOutageByALittleLoss() {
        let little = PathConditions(profile: "Lossy", loss: 0.09)
        let more = PathConditions(profile: "Lossy", loss: 0.11)
        #expect(little.explains(.unreachable, .blackHole, Self.policy) == false)
        #expect(more.explains(.unreachable, .blackHole, Self.policy) == true)
        var hasty = Self.policy
        hasty.fall = 1
        #expect(little.explains(.unreachable, .blackHole, hasty) == true)
    }

    @Test func hasNothingToExplainOfWhatIsWellOrUnknown() {
        #expect(Self.blackHole.explains(.reachable, nil, Self.policy) == nil)
        #expect(Self.blackHole.explains(.unknown, nil, Self.policy) == nil)
        #expect(Self.blackHole.explains(.unknown, .stale, Self.policy) == nil)
        #expect(Self.blackHole.explains(.suspended, .offline, Self.policy) == nil)
    }

    private static func statistics(_ count: Int, loss: Double = 0, median: Duration? = nil) -> Statistics {
        var statistics = Statistics()
        (statistics.count, statistics.loss, statistics.median) = (count, loss, median)
        return statistics
    }

    @Test func missesDelayThatIsNotThere() {
        let early = Self.statistics(10, median: .milliseconds(200))
        #expect(
            Self.slowNet.contradiction(early, Self.policy)
                == .roundTrip(expected: .milliseconds(249), measured: .milliseconds(200))
        )
        for milliseconds in [220, 249, 900] {
            let fine = Self.statistics(10, median: .milliseconds(milliseconds))
            #expect(Self.slowNet.contradiction(fine, Self.policy) == nil)
        }
        #expect(Self.slowNet.contradiction(Self.statistics(9, median: .zero), Self.policy) == nil)
        #expect(Self.slowNet.contradiction(Self.statistics(60, loss: 1), Self.policy) == nil)
        #expect(Self.clean.contradiction(early, Self.policy) == nil)
    }

    @Test func missesLossThatIsNotThere() {
        for count in 10...60 {
            for conditions in [Self.nastyNet, Self.blackHole] {
                let well = Self.statistics(count, median: .milliseconds(250))
                #expect(
                    conditions.contradiction(well, Self.policy) == .loss(expected: conditions.loss, measured: 0)
                )
            }
        }
        let half = PathConditions(profile: "Half", loss: 0.5)
        #expect(half.contradiction(Self.statistics(60, loss: 0.1), Self.policy) == .loss(expected: 0.5, measured: 0.1))
        #expect(half.contradiction(Self.statistics(60, loss: 0.4), Self.policy) == nil)
    }

    /// The link may lose more than the profile says: others are on the way as well.
    @Test func bearsMoreLossThanPromised() {
        #expect(Self.clean.contradiction(Self.statistics(60, loss: 1), Self.policy) == nil)
        #expect(Self.blackHole.contradiction(Self.statistics(60, loss: 1), Self.policy) == nil)
    }

    /// The exact binomial probability of a false word, over all that may come of an honest link.
    @Test(arguments: [10, 11, 20, 59, 60, 600])
    func accusesAnHonestLinkLessThanOnceInThreeMillionTimes(count: Int) {
        for percent in 1...99 {
            let loss = Double(percent) / 100
            let conditions = PathConditions(profile: "Honest", loss: loss)
            var accused = 0.0
            for lost in 0...count {
                let seen = Self.statistics(count, loss: Double(lost) / Double(count))
                guard conditions.contradiction(seen, Self.policy) != nil else { continue }
                let ways = lgamma(Double(count + 1)) - lgamma(Double(lost + 1)) - lgamma(Double(count - lost + 1))
                accused += exp(ways + Double(lost) * log(loss) + Double(count - lost) * log(1 - loss))
            }
            #expect(accused < 1 / 3e6, "\(percent) % of \(count)")
        }
    }

    /// As a judge would see it, who forgets what was before an outage and so sees the better part only.
    @Test(arguments: [0.05, 0.3, 0.5, 0.7, 0.8, 0.9])
    func neverAccusesAnHonestLinkOverDays(loss: Double) {
        let conditions = PathConditions(profile: "Honest", loss: loss)
        var dice = SeededGenerator(seed: UInt64(loss * 100))
        var judge = Judge(Self.policy, at: .zero)
        var (now, measured) = (Duration.zero, 0)
        for _ in 0..<100_000 {
            let isLost = Double.random(in: 0..<1, using: &dice) < loss
            judge.add(isLost ? .failed(.blackHole) : .answered(.milliseconds(10)), at: now)
            now += judge.interval
            guard judge.verdict.isReachable, judge.windowCount.isMultiple(of: 4) else { continue }
            measured += 1
            #expect(conditions.contradiction(judge.statistics, Self.policy) == nil)
        }
        #expect(measured > 10)
    }
}
