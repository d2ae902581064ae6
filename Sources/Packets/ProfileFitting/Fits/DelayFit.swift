// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
package import LinkProfiles
internal import Statistics

/// The delay and the jitter of each direction that explain the round trips, if both directions are alike.
///
/// Each kind of jitter is fitted by least squares of quantiles, which a few late answers change little; the likeliest
/// kind is chosen. The measure of the fit is the Kolmogorov-Smirnov distance between the round trips and the fitted
/// link. Simulated round trips of the fitted link are fitted, too: the spread of these fits gives the confidence
/// intervals, and their distances give the probability of a distance as large as the measured one.
package struct DelayFit: Sendable {
    /// The one-way delay, in seconds.
    package var delay: Estimate
    /// The jitter of each direction, its amount in seconds; nil if the round trips do not vary, or are too few.
    package var jitter: (amount: Estimate, kind: Jitter.Distribution)?
    /// The second likeliest kind of jitter, if the round trips do not refute it.
    package private(set) var otherKind: Jitter.Distribution?
    package let count: Int
    /// The width of the range that contains the middle four fifths of the round trips, in seconds.
    let spread: Double
    /// The Kolmogorov-Smirnov distance, and the probability of one at least as large if the fit is right; nil without
    /// jitter.
    package private(set) var goodness: (distance: Double, probability: Double)?

    /// The minimum number of round trips from which jitter is fitted.
    static let fewest = 30
    private static let grid = (1..<40).map { Double($0) / 40 }
    private static let simulatedTrips = (all: 25_000, maximumAtOnce: 250)
    /// The logarithm of the likelihood ratio, 20, at which the less likely kind counts as refuted.
    private static let minimumRatio = 3.0

    /// Whether even the best kind of jitter fits badly.
    var isPoor: Bool { goodness.map { $0.probability < 0.01 && $0.distance > 0.05 } ?? false }

    /// - Parameter trips: the round trips in seconds, at least one.
    init(_ trips: [Double]) {
        let sorted = trips.sorted()
        count = sorted.count
        spread = sorted.spread
        let middle = sorted.midpointQuantile(0.5)
        let resolution = TimeResolution(of: sorted)
        let median = Estimate(medianOf: sorted).widened(by: resolution.step(at: middle) / 2).map { $0 / 2 }
        delay = median
        guard spread > max(2.2 * resolution.step(at: middle), 0.02 * middle, 0.0003), count >= Self.fewest else {
            return
        }
        let trips = resolution.spreading(sorted)
        let fits = JitterShape.all.map { Candidate($0, sorted, resolution) }
            .map { (fit: $0, likelihood: $0.logLikelihood(of: trips)) }
            .sorted { $0.likelihood > $1.likelihood }
        simulate(fits[0].fit, resolution)
        if fits[0].likelihood - fits[1].likelihood < Self.minimumRatio { otherKind = fits[1].fit.shape.kind }
        // A little variation that no kind fits is noise, as from a busy machine, and not jitter.
        if isPoor, spread < 0.1 * delay.value {
            (jitter, goodness) = (nil, nil)
            (delay, otherKind) = (median, nil)
        }
    }

    /// A kind of jitter with the fitted delay and amount.
    private struct Candidate {
        let shape: JitterShape
        var (delay, amount) = (0.0, 0.0)
        var table: QuantileTable
        var distance = 0.0

        init(_ shape: JitterShape, _ sorted: [Double], _ resolution: TimeResolution) {
            self.shape = shape
            let found = DelayFit.grid.map { sorted.midpointQuantile($0) }
            (delay, amount) = (found.mean / 2, found.deviation)
            table = QuantileTable(quantiles: [])
            // One pass is enough, unless the model clips delays below zero: then the passes converge.
            for _ in 0..<12 {
                table = QuantileTable(quantiles: shape.trips(delay: delay, amount: amount))
                let modelled = DelayFit.grid.map { table.quantiles.midpointQuantile($0) }
                let (mean, other) = (found.mean, modelled.mean)
                let products = zip(found, modelled).reduce(0) { $0 + ($1.0 - mean) * ($1.1 - other) }
                let squares = modelled.reduce(0) { $0 + ($1 - other) * ($1 - other) }
                let slope = squares > 0 ? min(max(products / squares, 0.2), 5) : 1
                let before = delay
                // Scaling the amount also moves the model's mean, unless its variation has mean zero.
                delay = max(delay + (mean - other) / 2 - (slope - 1) * (other / 2 - delay), 0)
                amount *= slope
                if abs(slope - 1) < 1e-4, abs(delay - before) <= 1e-4 * before { break }
            }
            table = QuantileTable(quantiles: shape.trips(delay: delay, amount: amount))
            distance = table.distance(from: sorted, resolution)
        }

        /// The highest log-likelihood with amounts up to 6 % around the fitted one: an amount that is slightly too
        /// small would make the extreme values impossible, and refute the right kind.
        func logLikelihood(of sorted: [Double]) -> Double {
            let tables = [0.94, 0.96, 0.98, 1, 1.02, 1.04, 1.06].map {
                QuantileTable(quantiles: shape.trips(delay: delay, amount: amount * $0))
            }
            return tables.map { $0.logLikelihood(of: sorted) }.max() ?? 0
        }
    }

    private mutating func simulate(_ best: Candidate, _ resolution: TimeResolution) {
        let size = min(count, Self.simulatedTrips.maximumAtOnce)
        let simulated = (0..<UInt64(Self.simulatedTrips.all / size)).map { seed in
            let trips = (0..<size).map { index in
                let random = SplitMix64.value(seed: seed, index: UInt64(index))
                let trip = best.table.quantiles.midpointQuantile((Double(random >> 11) + 0.5) / 0x1p53)
                let step = resolution.step(at: trip)
                return step > 0 ? (trip / step).rounded() * step : trip
            }
            return Candidate(best.shape, trips.sorted(), resolution)
        }
        // The errors of delay and amount, and the distance, shrink with the square root of the count.
        let scale = (Double(size) / Double(count)).squareRoot()
        let exceeding = simulated.count { $0.distance * scale >= best.distance }
        goodness = (best.distance, Double(exceeding + 1) / Double(simulated.count + 1))
        delay = Estimate(best.delay, deviation: simulated.map(\.delay).deviation * scale, of: count)
        let amount = Estimate(best.amount, deviation: simulated.map(\.amount).deviation * scale, of: count)
        jitter = (amount, best.shape.kind)
    }
}
