// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// Impairments that netem does not support, or would change silently, are reported.
@Suite struct UnsupportedImpairmentsTests {
    @Test func takesWhatNetemCanDo() {
        let all = Impairments.with {
            $0.rate = BitRate(bitsPerSecond: 8)
            $0.delay = .seconds(3600)
            $0.jitter = Jitter(amount: .nanoseconds(Int64(Int32.max)))
            $0.loss = .random(.one)
            $0.queue = .packets(10_000_000)
        }
        #expect(NetemTranslation.unsupported(all).isEmpty)
        #expect(NetemTranslation.unsupported(Impairments()).isEmpty)
    }

    @Test func namesUnorderedJitterTogetherWithARate() {
        var impairments = Impairments.rate(8000)
        impairments.jitter = Jitter(amount: .milliseconds(1), ordered: false)
        #expect(NetemTranslation.unsupported(impairments) == ["unordered jitter together with a rate"])
        impairments.rate = nil
        #expect(NetemTranslation.unsupported(impairments).isEmpty)
    }

    @Test func namesJitterThatTheKernelWouldCut() {
        let impairments = Impairments.with { $0.jitter = Jitter(amount: .nanoseconds(Int64(Int32.max) + 1)) }
        #expect(NetemTranslation.unsupported(impairments) == ["jitter above 2.147483647 s"])
    }

    @Test func namesARateBelowAByteASecond() {
        #expect(NetemTranslation.unsupported(.rate(7)) == ["a rate below 8 bit/s"])
        #expect(NetemTranslation.unsupported(.rate(0)) == ["a rate below 8 bit/s"])
    }

    @Test func namesATrace() {
        let trace = Impairments.with { $0.trace = TraceReference(file: "bus.trace", format: .mahimahi) }
        #expect(NetemTranslation.unsupported(trace) == ["a trace"])
    }

    @Test func namesAManagedQueueByItsDiscipline() {
        for discipline in QueueManagement.Discipline.allCases {
            var impairments = Impairments.rate(8000)
            impairments.queueManagement = QueueManagement(discipline)
            let expected = discipline == .dropTail ? [] : ["a \(discipline.rawValue) queue"]
            #expect(NetemTranslation.unsupported(impairments) == expected)
        }
    }

    @Test func namesCompetingTraffic() {
        var impairments = Impairments.rate(8000)
        impairments.competing = [CompetingFlows(.bulk)]
        #expect(NetemTranslation.unsupported(impairments) == ["competing traffic"])
        impairments.competing = []
        #expect(NetemTranslation.unsupported(impairments).isEmpty)
    }

    @Test func namesEverythingAtOnceWithItsDirection() {
        var profile = Profile("Bad", downlink: .rate(1), uplink: .rate(2), dns: .seconds(1))
        profile.schedule = Schedule(steps: [])
        let context = LaneContext(mtu: 1500, hasEthernetHeader: true, seed: nil)
        let translation = LaneQdiscs.lanes(of: profile, context)
        #expect(translation.lanes.isEmpty)
        #expect(
            translation.unsupported == [
                "a schedule", "a rate below 8 bit/s (uplink)", "a rate below 8 bit/s (downlink)",
            ]
        )
    }
}
