// SPDX-License-Identifier: Apache-2.0

/// The rounding of round trips in a log: iputils prints three or four significant digits, Windows whole milliseconds.
struct TimeResolution: Sendable {
    private let isPrinted: Bool
    private let isWhole: Bool

    /// - Parameter sorted: round trips, in seconds.
    init(of sorted: [Double]) {
        func areMultiples(_ values: some Sequence<Double>, of step: Double) -> Bool {
            values.allSatisfy { abs(($0 / step).rounded() - $0 / step) < 1e-3 }
        }
        isWhole = sorted.count >= 10 && sorted.first != sorted.last && areMultiples(sorted, of: 1e-3)
        isPrinted =
            areMultiples(sorted.filter { $0 >= 0.1 }, of: 1e-3)
            && areMultiples(sorted.filter { 0.01..<0.1 ~= $0 }, of: 1e-4)
            && areMultiples(sorted.filter { 0.001..<0.01 ~= $0 }, of: 1e-5)
            && areMultiples(sorted, of: 1e-6)
    }

    /// The step to which a round trip was rounded, in seconds; 0 if it was not.
    func step(at trip: Double) -> Double {
        guard isPrinted else { return 0 }
        return isWhole || trip >= 0.1 ? 1e-3 : trip >= 0.01 ? 1e-4 : trip >= 0.001 ? 1e-5 : 1e-6
    }

    /// Undoes rounding: spreads equal values evenly over their rounding step.
    func spreading(_ sorted: [Double]) -> [Double] {
        guard isPrinted else { return sorted }
        var spread: [Double] = []
        while spread.count < sorted.count {
            let value = sorted[spread.count]
            let count = sorted[spread.count...].prefix { $0 == value }.count
            spread += (0..<count).map { value + step(at: value) * ((Double($0) + 0.5) / Double(count) - 0.5) }
        }
        return spread.sorted()
    }
}
