// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkPane

@Suite struct ReadingPaceTests {
    private static func after(_ milliseconds: Int) -> ReadingPace {
        var pace = ReadingPace()
        pace.noteReading(at: .seconds(100), cost: .milliseconds(milliseconds))
        return pace
    }

    private static func isDue(_ pace: ReadingPace, after milliseconds: Int) -> Bool {
        pace.isDue(at: .seconds(100) + .milliseconds(milliseconds))
    }

    @Test func readsAtOnceFirst() { #expect(ReadingPace().isDue(at: .zero)) }

    @Test func readsTwiceASecond() {
        let pace = Self.after(5)
        #expect(!Self.isDue(pace, after: 499))
        #expect(Self.isDue(pace, after: 500))
    }

    @Test func readsManyRulesSeldomUnlessTheyChange() {
        var pace = Self.after(200)
        #expect(!Self.isDue(pace, after: 11_999))
        #expect(Self.isDue(pace, after: 12_000))
        pace.noteChange()
        #expect(!Self.isDue(pace, after: 799))
        #expect(Self.isDue(pace, after: 800), "within a second")
    }

    @Test func readsFewRulesSoonAfterAnotherChange() {
        var pace = Self.after(5)
        pace.noteChange()
        #expect(!Self.isDue(pace, after: 199))
        #expect(Self.isDue(pace, after: 200), "a command makes several changes, of which the first may be read alone")
    }

    @Test func readsAtOnceAfterAChangeOfTheUser() {
        var pace = Self.after(200)
        pace.hurry()
        #expect(Self.isDue(pace, after: 200))
        pace.noteReading(at: .seconds(100), cost: .zero)
        #expect(!Self.isDue(pace, after: 200))
    }
}
