// SPDX-License-Identifier: Apache-2.0

/// What a search believes of a client: where half of its runs survive, and how abruptly that changes, as weights on a
/// grid.
///
/// The belief only chooses where to look and how to bet; what `SurvivalSearch` claims is right for any client.
struct SurvivalModel {
    /// The weights of the clients, which add up to 1.
    private var weights = [Double](repeating: 1 / Double(Self.count), count: Self.count)

    /// The share of runs that survive at `place`, as far as is known.
    func survival(at place: Int) -> Double {
        let row = place * Self.count
        var sum = 0.0
        for index in 0..<Self.count { sum += weights[index] * Self.table[row + index] }
        return sum
    }

    /// The mildest place at which a smaller share survives; the one after the last if there is none.
    func firstPlace(below share: Double) -> Int {
        var (low, high) = (0, SurvivalSearch.places.count)
        while low < high {
            let middle = (low + high) / 2
            if survival(at: middle) < share { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Learns from one run.
    mutating func learn(_ survived: Bool, at place: Int) {
        let row = place * Self.count
        var sum = 0.0
        for index in 0..<Self.count {
            let survival = Self.table[row + index]
            weights[index] *= survived ? survival : 1 - survival
            sum += weights[index]
        }
        for index in 0..<Self.count { weights[index] /= sum }
    }

    /// The limits that a client may have, in places; some lie outside what is searched.
    private static let limits = stride(from: -9, through: 109, by: 2).map { Double($0) }
    /// The number of places in which the survival changes.
    private static let widths = [0.5, 3, 12]
    /// The share of runs that end otherwise than the link decides.
    private static let lapses = 0.02
    private static let count = limits.count * widths.count

    /// The survival at each place, of each client.
    private static let table = SurvivalSearch.places.flatMap { place in
        limits.flatMap { limit in
            widths.map { width in
                let distance = (limit - Double(place)) / width
                let share = 0.5 + 0.5 * distance / (1 + distance * distance).squareRoot()
                return lapses + (1 - 2 * lapses) * share
            }
        }
    }
}
