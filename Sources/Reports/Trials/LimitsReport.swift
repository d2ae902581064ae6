// SPDX-License-Identifier: Apache-2.0

/// What a search for the limits of a client found.
package struct LimitsReport: Hashable, Sendable {
    /// The search in one figure.
    package struct Limit: Hashable, Sendable {
        /// Some runs on about the same link.
        package struct Point: Hashable, Sendable {
            /// The place in the range, 0 for the mildest link to 1 for the harshest.
            package var place: Double
            /// The value there.
            package var value: String
            package var runs: Int
            package var survived: Int

            package init(place: Double, value: String, runs: Int, survived: Int) {
                (self.place, self.value, self.runs, self.survived) = (place, value, runs, survived)
            }
        }

        /// The figure, such as "loss".
        package var figure: String
        /// What was found, in one sentence.
        package var sentence: String
        /// Its values at the start, in the middle and at the end of the range.
        package var values: [String]
        /// The points, in order.
        package var points: [Point]
        /// The place of the limit; nil if every link is survived, or none.
        package var estimate: Double?
        /// Between which places the limit is, with a confidence of 95 %; nil where that is not known.
        package var lower: Double?
        package var upper: Double?

        package init(
            figure: String,
            sentence: String,
            values: [String],
            points: [Point],
            estimate: Double?,
            lower: Double?,
            upper: Double?
        ) {
            (self.figure, self.sentence, self.values, self.points) = (figure, sentence, values, points)
            (self.estimate, self.lower, self.upper) = (estimate, lower, upper)
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
