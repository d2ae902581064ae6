// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic

/// A client's backoff: the wait before attempt n + 1 is on average base x factor^(n-1), at most the cap, and varies at
/// random by a share of that average.
package struct Backoff: Hashable, Sendable {
    /// The first wait, on average.
    package var base: Duration
    /// The factor from one wait to the next: 1 if the waits do not grow.
    package var factor: Double
    /// The spread of waits to either side, as a share of their average: 0.2 for waits of 20 % more or less, 1 for waits
    /// between nothing and twice the average ("full jitter"), 1/3 for waits between a half and the whole of a value
    /// ("equal jitter"); 0 for none.
    package var jitter: Double
    /// The longest wait, on average; nil if the waits did not reach one.
    package var cap: Duration?
    /// The number of waits that were observed.
    package var gaps: Int
    /// Whether the waits grow.
    package var trend: Trend
    /// Whether the waits fit best if each is drawn from a range that depends on the wait before ("decorrelated
    /// jitter").
    package var isDecorrelated: Bool

    /// The trend of the waits, as far as their number suffices to show it.
    package enum Trend: Hashable, Sendable {
        /// Growing waits are by far likelier than steady ones.
        case growing
        /// Steady or shrinking waits are by far likelier than growing ones.
        case steady
        case unclear
    }

    /// The number of retries from which on their time alone may show that waits do not grow: fewer may be the first
    /// attempts of parallel workers.
    static let fewestOfStorm = 32

    /// The least time of so many waits that grow: from 1 ms, each 1.3 times the one before, up to 100 ms. These figures
    /// are judgement: no client is known with lower ones. A quarter of their sum, since random waits may be short.
    static func leastTime(of waits: Int) -> Duration {
        let sum = sequence(first: BackoffFit.atOnce) { min($0 * BackoffFit.growingFactor, 0.1) }.prefix(waits)
            .reduce(0, +)
        return .seconds(sum / 4)
    }

    /// Fits the waits between the times of attempts; nil if there are fewer than three.
    package init?(fitting attempts: [Instant]) {
        let moments = attempts.sorted()
        self.init(waits: zip(moments, moments.dropFirst()).map { $1 - $0 })
    }

    /// Fits waits in their order; nil if there are fewer than three.
    init?(waits: [Duration]) {
        let seconds = waits.map { $0 / .seconds(1) }
        // Attempts made at the same time, such as several connections, count as one.
        guard let fit = BackoffFit(seconds.filter { $0 >= BackoffFit.atOnce }), let best = fit.best else { return nil }
        base = .seconds(best.middle)
        (factor, jitter, gaps) = (best.factor, best.jitter, best.gaps)
        cap = best.cap.map { .seconds($0 * best.middle) }
        (trend, isDecorrelated) = fit.comparison
    }
}
