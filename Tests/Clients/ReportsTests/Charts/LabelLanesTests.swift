// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reports

/// Labels of a timeline: each can be read, and none covers another.
struct LabelLanesTests {
    private func label(_ text: String, _ begin: Double, _ end: Double) -> LabelLanes.Label {
        LabelLanes.Label(text: text, begin: begin, end: end)
    }

    @Test func putsALabelInsideItsBarIfItFits() {
        let placed = LabelLanes([label("3G", 0, 50), label("LTE", 50, 100)], in: .wide).placed
        #expect(placed.allSatisfy { $0.lane == 0 && $0.position == $0.begin })
    }

    @Test(arguments: LabelLanes.Layout.allCases)
    func putsNarrowOnesBelowOneAnother(layout: LabelLanes.Layout) {
        let labels = (0..<4).map { label("between two cells", 90 + Double($0) * 2, 92 + Double($0) * 2) }
        let lanes = LabelLanes(labels, in: layout).placed.sorted { $0.begin < $1.begin }.map(\.lane)
        #expect(lanes == [4, 3, 2, 1], "the first is lowest, so that no line crosses a label")
        #expect(LabelLanes(labels, in: layout).placed.allSatisfy { $0.position < 90 }, "none leaves the plot")
    }

    @Test func leavesOutWhatHasNoRoom() {
        let labels = (0..<500).map { label("crowded", Double($0) / 5, Double($0) / 5 + 0.1) }
        let placed = LabelLanes(labels, in: .narrow).placed
        #expect(!placed.isEmpty && placed.count < 30 && placed.allSatisfy { $0.lane <= 6 })
    }
}
