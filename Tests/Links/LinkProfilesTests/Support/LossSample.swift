// SPDX-License-Identifier: Apache-2.0

/// The losses of a simulated chain, with the standard error that a mean of dependent packets has.
struct LossSample {
    let mean: Double
    let standardError: Double

    /// Asks `isLost` for a packet at a time. Batches are long against every burst, so that their means are independent.
    init(batches: Int = 200, batchLength: Int = 2000, _ isLost: () -> Bool) {
        let means = (0..<batches).map { _ in
            Double((0..<batchLength).count { _ in isLost() }) / Double(batchLength)
        }
        let mean = means.reduce(0, +) / Double(batches)
        let variance = means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(batches - 1)
        self.mean = mean
        standardError = (variance / Double(batches)).squareRoot()
    }
}
