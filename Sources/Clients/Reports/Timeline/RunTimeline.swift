// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

/// The events of a run, on one clock: the time since the command was started.
package struct RunTimeline: Hashable, Sendable {
    /// Conditions that held for a time.
    struct Period: Hashable, Sendable {
        /// The step of the scenario; nil for conditions that no step made.
        var label: String?
        var profile: String?
        /// The step's changes to the uplink's network, in words.
        var changes: [String] = []
        /// The figures that the profile asks for.
        var asked: AskedFigures
        var begin: Duration
        var end: Duration
    }

    /// A point that the client named.
    struct Mark: Hashable, Sendable {
        var name: String
        var time: Duration
    }

    /// A time in which the command's processes waited for a processor.
    struct Stall: Hashable, Sendable {
        var begin: Duration
        var end: Duration
        /// The time for which they waited.
        var waited: Duration
    }

    /// A monitor's verdict on a target, for a time.
    struct Band: Hashable, Sendable {
        var verdict: RunRecord.MonitorVerdict
        var begin: Duration
        var end: Duration
    }

    /// At most this many conditions, marks, verdicts of a monitor, requests and queries are shown: the first ones.
    static let listLimit = 500

    var duration: Duration
    var periods: [Period] = []
    var marks: [Mark] = []
    /// The connections that are shown, in the order of their starts.
    var connections: [ConnectionLine] = []
    /// The number of all connections: more than `connections` if there were too many to show.
    var connectionCount = 0
    /// The number of connections that were open, at the start of each piece of `history`; the most of it.
    var openConnections: [Int] = []
    /// The link's traffic.
    var history = LinkHistory()
    /// The start of the first piece of `history`.
    var historyBegin = Duration.zero
    /// A monitor's verdicts, in order; those of several targets together.
    var bands: [Band] = []
    /// The client's requests.
    var requests = RequestLog()
    /// The times at which processes waited for a processor.
    var stalls: [Stall] = []

    /// A timeline on which nothing happened.
    init(duration: Duration) { self.duration = duration }

    /// The length of a piece of `history`.
    var step: Duration { .nanoseconds(history.step) }

    /// The time at which a piece of `history` begins.
    func time(ofPiece index: Int) -> Duration { historyBegin + step * index }

    /// The reason why packets were dropped, the most frequent reason first.
    var reasons: [(reason: DropReason?, count: Int)] {
        let sum = history.sum
        return sum.uplink.dropped.merging(sum.downlink.dropped, uniquingKeysWith: +)
            .sorted { ($1.value, $0.key.name) < ($0.value, $1.key.name) }
            .map { (reason: $0.key, count: $0.value) }
    }
}

extension Range<Int> {
    /// The range in parts of `size`, of which the last may be shorter.
    func parts(of size: Int) -> [Range<Int>] {
        stride(from: lowerBound, to: upperBound, by: size).map { $0..<Swift.min($0 + size, upperBound) }
    }
}
