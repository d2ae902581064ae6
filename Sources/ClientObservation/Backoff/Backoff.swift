// SPDX-License-Identifier: Apache-2.0

/// How a client spaces its attempts: the wait before attempt n + 1 is on average base x factor^(n-1), at most the cap, and
/// at random up to a share more or less.
package struct Backoff: Hashable, Sendable {
    /// The first wait, on average.
    package var base: Duration
    /// What each wait is multiplied by for the next: 1 if they do not grow.
    package var factor: Double
    /// How far waits are spread to either side, as a share of their average: 0.2 for waits of 20 % more or less, 1 for
    /// waits between nothing and twice the average ("full jitter"), 1/3 for those between a half and the whole of a time
    /// ("equal jitter"); 0 for none.
    package var jitter: Double
    /// The longest wait, on average; nil if the waits did not reach one.
    package var cap: Duration?
    /// How many waits were seen.
    package var gaps: Int

    package init(base: Duration, factor: Double, jitter: Double, cap: Duration?, gaps: Int) {
        (self.base, self.factor, self.jitter, self.cap, self.gaps) = (base, factor, jitter, cap, gaps)
    }

    /// Fits attempts at these moments; nil if there are too few to tell: fewer than three waits.
    package init?(fitting attempts: [Instant]) {
        let moments = attempts.sorted()
        let seconds = zip(moments, moments.dropFirst()).map { ($1 - $0) / .seconds(1) }
        // What is asked for at once, as several connections are, is one attempt.
        guard let fit = BackoffFit(seconds.filter { $0 >= BackoffFit.atOnce })?.best else { return nil }
        self.init(
            base: .seconds(fit.middle),
            factor: fit.factor,
            jitter: fit.jitter,
            cap: fit.cap.map { .seconds($0 * fit.middle) },
            gaps: fit.gaps
        )
    }
}
