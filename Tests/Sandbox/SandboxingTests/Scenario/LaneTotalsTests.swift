// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sandboxing

struct LaneTotalsTests {
    /// The lanes of the next step count from zero.
    @Test func goesOnCountingWhenConditionsChange() {
        var totals = LaneTotals()
        for (look, sum) in [(0, 0), (7, 7), (9, 9), (2, 11), (5, 14), (0, 14)] as [(UInt64, UInt64)] {
            totals.add(dropped: look)
            #expect(totals.dropped == sum)
        }
    }
}
