// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

@Suite struct NearestRankTests {
    /// With whole numbers: the smallest rank whose share of the values is as large as asked for.
    @Test(arguments: [1, 2, 5, 7, 14, 28, 29, 50, 55, 56, 57, 58, 95, 99, 100])
    func isThatOfWholeNumbers(percent: Int) {
        for count in 0...5000 {
            let rank = (count * percent + 99) / 100
            #expect(NearestRank.rank(Double(percent) / 100, of: count) == rank, "\(count)")
        }
    }

    @Test func isTheFirstForAShareOfNone() {
        #expect(NearestRank.rank(0, of: 3) == 1 && NearestRank.rank(0, of: 0) == 0)
    }
}
