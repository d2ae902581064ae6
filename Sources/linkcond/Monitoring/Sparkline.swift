// SPDX-License-Identifier: Apache-2.0

/// A row of small bars: the last round-trip times, with a cross for each probe that was lost.
func sparkline(_ times: [Duration?]) -> String {
    let bars = Array("▁▂▃▄▅▆▇█")
    let known = times.compactMap { $0.map { $0 / .milliseconds(1) } }
    let (least, most) = (known.min() ?? 0, known.max() ?? 0)
    return String(
        times.map { time -> Character in
            guard let time else { return "×" }
            // Below a fifth of a millisecond, what varies is this machine.
            let spread = max(most - least, 0.2)
            return bars[min(Int((time / .milliseconds(1) - least) / spread * Double(bars.count)), bars.count - 1)]
        }
    )
}
