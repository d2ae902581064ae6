// SPDX-License-Identifier: Apache-2.0

package import ClientObservation
package import LinkProfiles

/// What happened during a run, on one clock: the time since the command was started.
package struct RunTimeline: Hashable, Sendable {
    /// Conditions that held for a time.
    package struct Period: Hashable, Sendable {
        /// The step of the scenario; nil for conditions that no step made.
        package var label: String?
        /// The name of the profile; nil for none.
        package var profile: String?
        /// What the profile asks for.
        package var asked: AskedFigures
        package var begin: Duration
        package var end: Duration
    }

    /// A point that the client named.
    package struct Mark: Hashable, Sendable {
        package var name: String
        package var time: Duration
    }

    /// A time in which the command's processes waited for a processor.
    package struct Stall: Hashable, Sendable {
        package var begin: Duration
        package var end: Duration
        /// How long they did.
        package var waited: Duration
    }

    /// What a monitor beside the client said of a target for a time.
    package struct Band: Hashable, Sendable {
        package var target: String
        /// The monitor's own word.
        package var status: String
        package var isReachable: Bool
        package var reason: String?
        package var begin: Duration
        package var end: Duration
    }

    /// No more than this is shown of conditions, of marks and of a monitor's verdicts: the first ones.
    static let listLimit = 500

    /// How long the run took.
    package var duration: Duration
    /// The conditions, in order.
    package var periods: [Period] = []
    /// The marks, in order.
    package var marks: [Mark] = []
    /// The connections that are shown, in the order of their starts.
    package var connections: [ConnectionLine] = []
    /// All connections of the run: more than `connections` if there were too many to show.
    package var connectionCount = 0
    /// The number of connections that were open, at the start of each piece of `history`; the most of it.
    package var openConnections: [Int] = []
    /// What the link carried.
    package var history = LinkHistory()
    /// The start of the first piece of `history`.
    package var historyBegin = Duration.zero
    /// What a monitor said, in order; of several targets together.
    package var bands: [Band] = []
    /// What the client asked for.
    package var requests = RequestLog()
    /// When processes waited for a processor.
    package var stalls: [Stall] = []

    /// A timeline on which nothing happened.
    package init(duration: Duration) { self.duration = duration }

    /// The length of a piece of `history`.
    package var step: Duration { .nanoseconds(history.step) }

    /// When a piece of `history` begins.
    func time(ofPiece index: Int) -> Duration { historyBegin + step * index }

    /// The round trips of all established TCP connections.
    package var roundTrips: DurationSummary {
        history.pieces.reduce(into: DurationSummary()) { $0.add($1.roundTrips) }
    }

    /// Why packets were dropped, the most frequent reason first.
    package var reasons: [(reason: DropReason?, count: Int)] {
        var counts: [DropReason?: Int] = [:]
        for piece in history.pieces {
            counts.merge(piece.uplink.dropped, uniquingKeysWith: +)
            counts.merge(piece.downlink.dropped, uniquingKeysWith: +)
        }
        return counts.sorted { ($1.value, $0.key.name) < ($0.value, $1.key.name) }
            .map { (reason: $0.key, count: $0.value) }
    }
}

extension Range<Int> {
    /// The range in parts of `size`, of which the last may be shorter.
    func parts(of size: Int) -> [Range<Int>] {
        stride(from: lowerBound, to: upperBound, by: size).map { $0..<Swift.min($0 + size, upperBound) }
    }
}
