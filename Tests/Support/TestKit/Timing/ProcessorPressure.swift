// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How much of a time processes of this machine waited for a processor: the kernel's pressure stall information
/// (Documentation/accounting/psi.rst). A lab's kernel tells nothing, nor of the machine that it runs on.
struct ProcessorPressure {
    private let start = ContinuousClock.now
    private let before = Self.waited

    /// The share of the time since it was made in which some process waited; nil where the kernel does not tell.
    var share: Double? {
        guard let before, let now = Self.waited else { return nil }
        return (now - before) / max(start.duration(to: .now) / .seconds(1), 1e-6)
    }

    /// In seconds, since the machine started.
    private static var waited: Double? {
        guard let text = try? String(contentsOfFile: "/proc/pressure/cpu", encoding: .utf8),
            let total = text.firstMatch(of: #/^some .* total=(\d+)/#).flatMap({ Double($0.1) })
        else { return nil }
        return total / 1e6
    }
}
