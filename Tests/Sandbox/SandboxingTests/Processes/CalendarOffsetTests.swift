// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinuxSystem

/// That the time of day is set during a run.
struct CalendarOffsetTests {
    private static let second: Int64 = 1_000_000_000

    @Test func tellsEachChangeOnce() {
        var offset = CalendarOffset(7)
        #expect(offset.change(to: 7, readIn: 1000) == nil)
        #expect(offset.change(to: 7 + 3600 * Self.second, readIn: 1000) == .seconds(3600))
        #expect(offset.change(to: 7 + 3600 * Self.second, readIn: 1000) == nil)
        #expect(offset.change(to: 7 - 7200 * Self.second, readIn: 1000) == .seconds(-10800))
    }

    /// A daemon corrects the clock by fractions of a second, and a busy processor is late between two readings.
    @Test func tellsNoCorrectionAndNoLateReading() {
        var offset = CalendarOffset(0)
        #expect(offset.change(to: Self.second / 3, readIn: 1000) == nil)
        #expect(offset.change(to: -Self.second / 3, readIn: 1000) == nil)
        #expect(offset.change(to: 5 * Self.second, readIn: Self.second) == nil)
        #expect(offset.change(to: 5 * Self.second, readIn: 1000) == .seconds(5))
    }

    @Test func readsTheClocksOfThisMachine() {
        var offset = CalendarOffset()
        #expect(offset.change() == nil)
    }
}
