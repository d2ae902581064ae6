// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct DurationTextTests {
    private func duration(_ text: String) throws -> Duration {
        .nanoseconds(Int64(try Duration.quantity.parse(text).get()))
    }

    @Test(arguments: [
        ("1 ns", Duration.nanoseconds(1)), ("250 us", .microseconds(250)), ("250 \u{B5}s", .microseconds(250)),
        ("250 \u{3BC}s", .microseconds(250)), ("100 ms", .milliseconds(100)), ("1.5 s", .milliseconds(1500)),
        ("0.5 min", .seconds(30)), ("60 min", .seconds(3600)), ("0 ms", .zero), ("0 min", .zero),
        ("82.5 ms", .microseconds(82_500)), ("0.001 ms", .microseconds(1)),
    ])
    func readsEveryUnit(text: String, expected: Duration) throws {
        #expect(try duration(text) == expected)
    }

    @Test(arguments: ["3600.000000001 s", "60.1 min", "3601 s", "3600001 ms"])
    func refusesMoreThanAnHour(text: String) {
        #expect(throws: UnreadableQuantity.self) { try duration(text) }
    }

    @Test(arguments: ["1 h", "1 sec", "1 s 500 ms", "1:30 min", "-1 ms", "ms", "inf", "１ ms", "1\u{A0}ms"])
    func refusesWhatIsNoTime(text: String) {
        #expect(throws: UnreadableQuantity.self) { try duration(text) }
    }

    @Test(arguments: [
        (Duration.zero, "0 ms"), (.nanoseconds(1), "1 ns"), (.microseconds(250), "250 us"),
        (.microseconds(82_500), "82.5 ms"), (.milliseconds(100), "100 ms"), (.milliseconds(1500), "1.5 s"),
        (.seconds(3600), "3600 s"), (.nanoseconds(1_000_000_001), "1.000000001 s"), (.milliseconds(-5), "-5 ms"),
    ])
    func printsAsAProfileSpellsIt(duration: Duration, text: String) {
        #expect(duration.text == text)
    }

    @Test func cutsOffWhatIsFinerThanANanosecond() {
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 1_999_999_999).nanoseconds == 1_000_000_001)
        #expect(Duration(secondsComponent: 0, attosecondsComponent: 5).text == "0 ms")
    }
}
