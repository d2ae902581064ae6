// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkProfiles

@Suite struct SpellingTests {
    private let keys = ["rate", "trace", "delay", "jitter", "loss", "downlink", "uplink"]

    @Test(arguments: [
        ("dellay", "delay"), ("dealy", "delay"), ("DELAY", "delay"), ("los", "loss"), ("jiter", "jitter"),
        ("down-link", "downlink"), ("downLink", "downlink"), ("up link", "uplink"), ("tracee", "trace"),
    ])
    func findsWhatWasMeant(text: String, expected: String) {
        #expect(Spelling.nearest(to: text, among: keys) == expected)
    }

    @Test(arguments: ["bandwidth", "colour", "", "x", "latency", "dns"])
    func findsNothingWhereNothingIsNear(text: String) {
        #expect(Spelling.nearest(to: text, among: keys) == nil)
    }

    @Test(arguments: [
        ("latency", "delay"), ("bandwidth", "rate"), ("drop", "loss"), ("upload", "uplink"), ("dellay", "delay"),
        ("colour", nil),
    ])
    func knowsOtherToolsWords(text: String, expected: String?) {
        #expect(Spelling.meant(by: text, among: keys) == expected)
    }

    @Test func countsSwappedNeighboursOnce() {
        #expect(Spelling.nearest(to: "dns", among: ["dsn"]) == "dsn")
        #expect(Spelling.nearest(to: "abc", among: ["bca"]) == nil)
    }

    @Test func allowsAThirdOfTheLetters() {
        #expect(Spelling.nearest(to: "abcdef", among: ["abcdxy"]) == "abcdxy")
        #expect(Spelling.nearest(to: "abcdef", among: ["abcxyz"]) == nil)
    }

    @Test func neverReplacesASingleLetter() {
        #expect(Spelling.nearest(to: "p", among: ["r", "s"]) == nil)
        #expect(Spelling.nearest(to: "P", among: ["p"]) == "p")
    }

    @Test func prefersTheNearestAndThenTheAlphabet() {
        #expect(Spelling.nearest(to: "3g fst", among: ["3G Slow", "3G Fast", "3G"]) == "3G Fast")
        #expect(Spelling.nearest(to: "edg", among: ["edgy", "edge"]) == "edge")
    }

    /// To read a text that is much too long costs something, for each candidate as little as for the first.
    @Test func comparesNoTextThatIsMuchTooLong() {
        let long = String(repeating: "delay", count: 5000)
        let limit = 0.5
        let growth = ProcessorTime.growth(from: 10, below: limit, { [String](repeating: "delay", count: $0) }) {
            candidates in
            #expect(Spelling.nearest(to: long, among: candidates) == nil)
        }
        #expect(growth < limit)
    }

    @Test func findsNothingAmongNothing() {
        #expect(Spelling.nearest(to: "delay", among: []) == nil)
    }
}
