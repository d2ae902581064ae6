// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkProfiles
internal import Reachability

/// A watched target's status, and its latest probes.
struct TargetRecord {
    private var status: Status?
    /// The round-trip times of the latest probes, oldest first; nil for one without an answer.
    private(set) var history: [Duration?] = []

    static let limit = 60

    mutating func add(_ event: Event) {
        if let status = event.status { self.status = status }
        if case .sample(let observation) = event.kind { add(observation.finding) }
    }

    /// Adds the result of a probe.
    mutating func add(_ finding: Observation.Finding) {
        switch finding {
        case .answered(let time): history.append(time)
        case .failed: history.append(nil)
        // Such a probe says nothing about the target.
        case .impossible, .nothing: return
        }
        history.removeFirst(max(history.count - Self.limit, 0))
    }

    /// The record for the page.
    ///
    /// - Parameter epoch: the time since 1970 of the zero of the events' clock.
    func json(_ target: Target, epoch: Duration) -> JSON {
        let isKnown = status.map { $0.state != .unknown } ?? false
        let state = status.map { $0.isReachable ? "up" : $0.state.isDown ? "down" : "unknown" } ?? "unknown"
        return JSON(
            ("target", target.description.json),
            ("state", state.json),
            ("reason", .text(status.flatMap { $0.isReachable || $0.reason == nil ? nil : $0.words })),
            ("rtt", .number((history.last ?? nil).map { $0 / .milliseconds(1) })),
            ("loss", history.isEmpty ? nil : .number(Double(history.count { $0 == nil }) / Double(history.count))),
            ("since", isKnown ? .number(status.map { ($0.since + epoch) / .seconds(1) }) : nil),
            ("history", .list(history.map { time in JSON.number(time.map { $0 / .milliseconds(1) }) ?? JSON(.null) }))
        )
    }

    /// The time since 1970 of the zero of CLOCK_MONOTONIC, now.
    static var epoch: Duration { .nanoseconds(lc_wall_time() - lc_monotonic_time()) }
}
