// SPDX-License-Identifier: Apache-2.0

/// A search's belief about a client, as weights on a grid: the position at which half of its runs survive, and how
/// abruptly the survival changes there.
///
/// The belief only chooses the positions to try and the wagers; the claims of `SurvivalSearch` are right for any
/// client.
struct SurvivalModel {
    /// The weights of the possible clients, which add up to 1.
    private var weights = [Double](repeating: 1 / Double(Self.count), count: Self.count)

    /// The expected share of runs that survive at `position`.
    func survival(at position: Int) -> Double {
        let row = position * Self.count
        var sum = 0.0
        for index in 0..<Self.count { sum += weights[index] * Self.table[row + index] }
        return sum
    }

    /// The mildest position at which a smaller share than `share` is expected to survive; the one after the last if
    /// there is none.
    func firstPosition(below share: Double) -> Int {
        var (low, high) = (0, SurvivalSearch.positions.count)
        while low < high {
            let middle = (low + high) / 2
            if survival(at: middle) < share { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Updates the weights with the outcome of one run.
    mutating func learn(_ survived: Bool, at position: Int) {
        let row = position * Self.count
        var sum = 0.0
        for index in 0..<Self.count {
            let survival = Self.table[row + index]
            weights[index] *= survived ? survival : 1 - survival
            sum += weights[index]
        }
        for index in 0..<Self.count { weights[index] /= sum }
    }

    /// The possible limits of a client, as positions; some lie outside the range of the search.
    private static let limits = stride(from: -9, through: 109, by: 2).map { Double($0) }
    /// The possible widths, in positions, of the transition from survival to failure.
    private static let widths = [0.5, 3, 12]
    /// The share of runs whose outcome does not depend on the link.
    private static let lapses = 0.02
    private static let count = limits.count * widths.count

    /// The share of survivors at each position, for each possible client.
    private static let table = SurvivalSearch.positions.flatMap { position in
        limits.flatMap { limit in
            widths.map { width in
                let distance = (limit - Double(position)) / width
                let share = 0.5 + 0.5 * distance / (1 + distance * distance).squareRoot()
                return lapses + (1 - 2 * lapses) * share
            }
        }
    }
}
