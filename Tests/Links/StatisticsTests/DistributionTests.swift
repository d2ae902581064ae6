// SPDX-License-Identifier: Apache-2.0

import Foundation
import Statistics
import TestKit
import Testing

/// Against printed tables.
@Suite struct DistributionTests {
    @Test(arguments: [(1, 0.05, 12.706), (10, 0.05, 2.228), (11, 0.001, 4.437), (11, 0.01, 3.106), (120, 0.05, 1.980)])
    func knowsStudentsDistribution(degreesOfFreedom: Int, error: Double, limit: Double) {
        #expect(abs(StudentDistribution(degreesOfFreedom: degreesOfFreedom).limit(error: error) - limit) < 0.001)
    }

    /// 1.358 and 1.628 times the root of (n + m) / (n m).
    @Test func knowsTheDistanceOfTwoSamples() {
        #expect(abs(KolmogorovSmirnov.limit(100, 100, error: 0.05) - 1.358 * 0.02.squareRoot()) < 0.0001)
        #expect(abs(KolmogorovSmirnov.limit(50, 200, error: 0.01) - 1.628 * 0.025.squareRoot()) < 0.0001)
        // One of the samples without end: that from the true distribution.
        let endless = KolmogorovSmirnov.limit(100, .max / 4, error: 1e-6)
        #expect(abs(endless - KolmogorovSmirnov.limit(100)) < 1e-9)
    }

    @Test func measuresTheDistanceOfSamples() {
        #expect(KolmogorovSmirnov.excess(of: [3, 1, 2], over: [1, 2, 3]) == 0)
        #expect(KolmogorovSmirnov.excess(of: [1, 2], over: [3, 4]) == 1)
        #expect(KolmogorovSmirnov.excess(of: [3, 4], over: [1, 2]) == 0)
        #expect(abs(KolmogorovSmirnov.excess(of: [1, 2, 3], over: [2.5]) - 2.0 / 3) < 1e-12)
        #expect(abs(KolmogorovSmirnov.excess(of: [2.5], over: [1, 2, 3]) - 1.0 / 3) < 1e-12)
        // Of values that are in both, none is passed before the other.
        #expect(KolmogorovSmirnov.excess(of: [5, 5, 5, 7], over: [5, 7, 7, 7]) == 0.5)
        #expect(KolmogorovSmirnov.excess(of: [5, 7, 7, 7], over: [5, 5, 5, 7]) == 0)
    }

    @Test func findsTheMiddle() {
        #expect([3, 1, 2].median == 2)
        #expect([4, 1, 2, 3].median == 2.5)
        #expect([1, 2, 3].variance == 1)
    }

    /// All checks together fail twice with one in a thousand at most.
    @Test func sharesTheErrorOfASuite() {
        let budget = ErrorBudget(suite: 0.001, checks: 40, runs: 2)
        #expect(abs(budget.perRun * budget.perRun * 40 - 0.001) < 1e-12)
        #expect(abs(ErrorBudget(suite: 0.001, checks: 10, runs: 1).perRun - 0.0001) < 1e-12)
    }
}
