// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The result of a search for a client's limits.
package struct LimitsReport: Sendable {
    /// The search for the limit in one figure, such as the delay.
    package struct Limit: Sendable {
        /// The runs on links of about the same harshness.
        package struct Point: Sendable {
            /// The position in the range, from 0 for the mildest link to 1 for the harshest.
            package let share: Double
            /// The figure's value at the point, or the range of its values.
            package let value: String
            package let runs: Int
            package let survived: Int
        }

        /// The figure, and the range in which it was varied.
        package let range: FigureRange
        /// The outcomes of the runs, and the bounds that they prove.
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
    /// Whether the client survives even the harshest link.
    package var survivesEverything: Bool { lower == Self.positions.upperBound }
    /// Whether the client does not survive even the mildest link.
    package var survivesNothing: Bool { upper == Self.positions.lowerBound }

    /// A position as a share: 0 for the mildest link, 1 for the harshest.
    package static func share(_ position: Int) -> Double {
        Double(position - positions.lowerBound) / Double(positions.count - 1)
    }

    /// The runs from the mildest link to the harshest; neighbouring positions are grouped into one point.
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
