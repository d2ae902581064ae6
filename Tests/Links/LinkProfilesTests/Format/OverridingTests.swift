// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct OverridingTests {
    private func impairments(_ members: String) throws -> Impairments {
        try #require(try Profile(members: "\"downlink\": { \(members) }").downlink)
    }

    private let everything = #"""
        "rate": "1 Mbit/s", "delay": "100 ms", "jitter": "5 ms", "loss": "1 %", "duplicate": "2 %", "corrupt": "3 %",
        "reorder": { "probability": "4 %", "gap": 2 }, "queue": { "size": "50 packets", "discipline": "codel" },
        "competing": "bulk", "overhead": { "packet": 24 }, "ecn": true
        """#

    @Test func keepsTheBaseWhereNothingIsSaid() throws {
        let base = try impairments(everything)
        #expect(Impairments().overriding(base) == base)
    }

    @Test func takesEveryFigureThatIsSaid() throws {
        let figures = try impairments(everything)
        let base = try impairments(
            #"""
            "trace": { "file": "x", "format": "mahimahi" }, "delay": "1 ms", "jitter": "1 ms", "loss": "90 %",
            "duplicate": "91 %", "corrupt": "92 %", "reorder": { "probability": "93 %" },
            "queue": { "size": "1 s", "discipline": "pie" }, "competing": "call 1 kbit/s", "overhead": { "packet": 1, "cell": 48 }, "ecn": false
            """#
        )
        #expect(figures.overriding(base) == figures)
        #expect(figures.overriding(Impairments()) == figures)
    }

    @Test func replacesATraceByARateAndTheOtherWayRound() throws {
        let trace = try impairments(#""trace": { "file": "x", "format": "mahimahi" }"#)
        let rate = try impairments(#""rate": "1 bit/s""#)
        #expect(rate.overriding(trace) == rate)
        #expect(trace.overriding(rate) == trace)
    }

    @Test func takesAnExplicitZeroForAFigure() throws {
        let base = try impairments(everything)
        var hold = Impairments()
        hold.rate = BitRate(bitsPerSecond: 0)
        hold.delay = .zero
        hold.loss = .random(.zero)
        hold.ecn = false
        let merged = hold.overriding(base)
        #expect(merged.rate?.isZero == true)
        #expect(merged.delay == .zero)
        #expect(merged.loss == .random(.zero))
        #expect(merged.ecn == false)
        #expect(merged.queue == base.queue)
    }
}
