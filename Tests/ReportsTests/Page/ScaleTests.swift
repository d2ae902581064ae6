// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reports

struct ScaleTests {
    @Test(arguments: [(0.0, 1), (1, 3), (3.7, 3), (99, 4), (1_234_567, 3), (2e-5, 3)])
    func holdsTheGreatestWithRoundTicks(greatest: Double, count: Int) {
        let scale = Scale(greatest, count: count)
        #expect(scale.top >= greatest)
        #expect(scale.ticks.count <= count)
        #expect(!scale.ticks.isEmpty)
    }

    @Test
    func countsTimesInMinutesAndHours() {
        let scale = TimeScale(begin: .zero, end: .seconds(3600 * 5))
        #expect(scale.ticks(6).map(\.reading) == ["0 s", "1 h", "2 h", "3 h", "4 h", "5 h"])
        #expect(TimeScale(begin: .zero, end: .seconds(10)).ticks(6).map(\.reading).last == "10 s")
    }

    @Test(arguments: [
        (0.0, "0 s"), (0.00042, "0.42 ms"), (0.34, "340 ms"), (2.354, "2.35 s"), (200, "3 min 20 s"),
        (7500, "2 h 5 min"),
        (-0.02, "−20 ms"),
    ])
    func tellsTimes(seconds: Double, reading: String) {
        #expect(Duration.seconds(seconds).reading == reading)
    }

    @Test(arguments: [(0.0, "0 "), (999, "999 "), (1500, "1.5 k"), (34_000, "34 k"), (1_234_567, "1.23 M")])
    func tellsAmounts(amount: Double, text: String) {
        #expect(amount.prefixed == text)
    }
}
