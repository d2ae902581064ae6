// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

/// The events of a run, on one clock: the time since the command was started.
package struct RunTimeline: Hashable, Sendable {
    /// A period with the same conditions.
    struct Period: Hashable, Sendable {
        /// The label of the scenario's step; nil for conditions that no step set.
        var label: String?
        var profile: String?
        /// The step's changes to the uplink's network, in words.
        var changes: [String] = []
        /// The rates and delays that the profile sets.
        var asked: AskedFigures
        var begin: Duration
        var end: Duration
    }

    /// A mark that the client set.
    struct Mark: Hashable, Sendable {
        var name: String
        var time: Duration
    }

    /// A period in which the command's processes waited for a CPU.
    struct Stall: Hashable, Sendable {
        var begin: Duration
        var end: Duration
        /// The time for which processes waited.
        var waited: Duration
    }

    /// A monitor's verdict on a target, and the period in which it held.
    struct Band: Hashable, Sendable {
        var verdict: RunRecord.MonitorVerdict
        var begin: Duration
        var end: Duration
    }

    /// A period with the same number of open connections.
    struct Opening: Hashable, Sendable {
        var begin: Duration
        var end: Duration
        var open: Int
    }

    /// The maximum number of conditions, marks, monitor verdicts, requests and queries that are shown: the first ones.
    static let listLimit = 500

    var duration: Duration
    var periods: [Period] = []
    var marks: [Mark] = []
    /// The connections that are shown, in the order of their starts.
    var connections: [ConnectionLine] = []
    /// The number of all connections: more than `connections` if there were too many to show.
    var connectionCount = 0
    /// The maximum number of open connections in each piece of `history`.
    var openConnections: [Int] = []
    /// The numbers of connections that were open after the last piece, up to the end of the run.
    var laterOpenings: [Opening] = []
    /// The link's traffic.
    var history = LinkHistory()
    /// The start of the first piece of `history`.
    var historyBegin = Duration.zero
    /// A monitor's verdicts on all targets, in order.
    var bands: [Band] = []
    /// The client's requests.
    var requests = RequestLog()
    /// The periods in which processes waited for a CPU.
    var stalls: [Stall] = []

    /// Makes a timeline without events.
    init(duration: Duration) { self.duration = duration }

    /// The length of a piece of `history`.
    var step: Duration { .nanoseconds(history.step) }

    /// The start of a piece of `history`.
    func time(ofPiece index: Int) -> Duration { historyBegin + step * index }

    /// The reasons why packets were dropped, with their counts, the most frequent first.
    var reasons: [(reason: DropReason?, count: Int)] {
        let sum = history.sum
        return sum.uplink.dropped.merging(sum.downlink.dropped, uniquingKeysWith: +)
            .sorted { ($1.value, $0.key.name) < ($0.value, $1.key.name) }
            .map { (reason: $0.key, count: $0.value) }
    }
}

extension Range<Int> {
    /// The range split into parts of `size`; the last may be shorter.
    func parts(of size: Int) -> [Range<Int>] {
        stride(from: lowerBound, to: upperBound, by: size).map { $0..<Swift.min($0 + size, upperBound) }
    }
}
