// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
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

    /// The labels of a logarithmic scale are not printed over one another.
    @Test
    func leavesOutLabelsThatTouch() {
        let elements = Markup.scale([(60, "1 ms"), (52, "10 us"), (20, "10 ms"), (0.5, "100 ms")], height: 64)
        let levels = elements.filter { $0.name == "text" }.compactMap { element in
            element.attributes.first { $0.name == "y" }.flatMap { Double($0.value) }
        }
        #expect(levels == [9, 24, 56] && elements.count { $0.name == "line" } == 4)
    }

    @Test
    func countsTimesInMinutesAndHours() {
        let scale = TimeScale(begin: .zero, end: .seconds(3600 * 5))
        #expect(scale.ticks(6).map(\.words) == ["0 s", "1 h", "2 h", "3 h", "4 h", "5 h"])
        #expect(TimeScale(begin: .zero, end: .seconds(10)).ticks(6).map(\.words).last == "10 s")
    }

    @Test(arguments: [(0.0, "0 "), (999, "999 "), (1500, "1.5 k"), (34_000, "34 k"), (1_234_567, "1.23 M")])
    func tellsAmounts(amount: Double, text: String) {
        #expect(amount.prefixed == text)
    }
}
