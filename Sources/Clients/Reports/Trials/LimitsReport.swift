// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The result of a search for a client's limits.
package struct LimitsReport: Sendable {
    /// The search in one figure.
    package struct Limit: Sendable {
        /// Some runs on about the same link.
        package struct Point: Sendable {
            /// The share of the range, 0 for the mildest link to 1 for the harshest.
            package let share: Double
            /// The value there, or the values.
            package let value: String
            package let runs: Int
            package let survived: Int
        }

        /// The figure, and what it was varied between.
        package let range: FigureRange
        /// The runs, and what they prove.
        package let search: SurvivalSearch
        /// The result, in one sentence.
        package let sentence: String

        package init(_ range: FigureRange, _ search: SurvivalSearch, _ sentence: String) {
            (self.range, self.search, self.sentence) = (range, search, sentence)
        }
    }

    package var command: [String]
    package var repetition: [String]
    package var version: String
    package var limits: [Limit]

    package init(command: [String], repetition: [String], version: String, limits: [Limit]) {
        (self.command, self.repetition, self.version, self.limits) = (command, repetition, version, limits)
    }
}

extension SurvivalSearch {
    /// The worst link is survived.
    package var survivesEverything: Bool { lower == Self.positions.upperBound }
    /// Not even the mildest link is survived.
    package var survivesNothing: Bool { upper == Self.positions.lowerBound }

    /// The position between the mildest link and the harshest, from 0 to 1.
    package static func share(_ position: Int) -> Double {
        Double(position - positions.lowerBound) / Double(positions.count - 1)
    }

    /// The runs by the link, from mild to harsh, those on neighbouring links together.
    package func points(of range: FigureRange) -> [LimitsReport.Limit.Point] {
        let groups = Dictionary(grouping: Self.positions.filter { counts[$0].runs > 0 }) { min($0 / 5, 19) }
        return groups.sorted { $0.key < $1.key }.map { _, positions in
            let values = [positions[0], positions[positions.count - 1]].map { range.value(at: Self.share($0)) }
            return LimitsReport.Limit.Point(
                share: Self.share(positions[positions.count / 2]),
                value: positions.count == 1 ? values[0] : "\(values[0]) to \(values[1])",
                runs: positions.reduce(0) { $0 + counts[$1].runs },
                survived: positions.reduce(0) { $0 + counts[$1].survived }
            )
        }
    }
}
