// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Netlink
@testable import Probing
@testable import Reachability

/// A target, and what a monitor has to say of it.
struct TableRow: Sendable {
    var target: Target
    var state: PathVerdict.State
    var reason: Reason?
    var offender: IPAddress?

    /// - Parameter state: reachable if there is no reason, and else unreachable, where none is given.
    init(_ target: String, _ reason: Reason? = nil, state: PathVerdict.State? = nil, offender: String? = nil) throws {
        self.target = try Target(target)
        self.state = state ?? (reason == nil ? .reachable : .unreachable)
        self.reason = reason
        self.offender = try offender.map { try #require(IPAddress($0)) }
    }

    func agrees(with status: Status) -> Bool {
        status.state == state && status.reason == reason
            && (offender == nil || status.observation?.offender == offender)
    }
}

extension ReachabilityMonitor {
    /// Watches all rows at once, and compares: what holds in the end, and whether anything else was said on the way.
    ///
    /// A busy machine answers late, and the monitor truly sees a timeout then. Rows that were right but for a passing
    /// timeout are watched again, by themselves, until they are right all the time or a machine that is not busy has made
    /// them late, too.
    func expect(_ rows: [TableRow]) async throws {
        var late = await compare(rows)
        var measurements = Measurements(stillness: 10)
        while !late.isEmpty {
            let yardstick = Yardstick()
            late = await compare(late)
            let fault = late.isEmpty ? nil : "timeouts of \(late.map { "\($0.target)" })"
            if try measurements.isSettled(fault: fault, yardstick: yardstick.stop()) { return }
        }
    }

    /// Compares, and gives the rows whose only fault was a passing timeout.
    private func compare(_ rows: [TableRow]) async -> [TableRow] {
        let course = await course(of: rows)
        return rows.filter { row in
            let statuses = course[row.target] ?? []
            let words = statuses.map { "\($0.state) \($0.reason?.description ?? "-")" }
            guard let last = statuses.last else {
                Issue.record("\(row.target): nothing")
                return false
            }
            let isRight = row.agrees(with: last)
            #expect(isRight, "\(row.target): \(words) \(last.observation?.offender?.description ?? "")")
            let others = statuses.filter { $0.state != .unknown && ($0.state != row.state || $0.reason != row.reason) }
            if isRight, !others.isEmpty, others.allSatisfy({ $0.isTimeout }) { return true }
            let isSteady = others.isEmpty
            #expect(isSteady, "\(row.target): \(words)")
            return false
        }
    }

    /// What the monitor says of each row, in order, until all agree.
    private func course(of rows: [TableRow]) async -> [Target: [Status]] {
        let expected = Dictionary(rows.map { ($0.target, $0) }, uniquingKeysWith: { row, _ in row })
        let events = events(of: rows.map(\.target), samples: true)
        let task = Task { () -> [Target: [Status]] in
            var course: [Target: [Status]] = [:]
            var open = Set(expected.keys)
            for await event in events {
                guard let status = event.status, let row = expected[status.target] else { continue }
                var statuses = course[status.target] ?? []
                if case .sample = event.kind, let last = statuses.last, last.state == status.state,
                    last.reason == status.reason
                {
                    statuses.removeLast()
                }
                statuses.append(status)
                course[status.target] = statuses
                if row.agrees(with: status) { open.remove(status.target) } else { open.insert(status.target) }
                if open.isEmpty { break }
            }
            return course
        }
        let timer = Task {
            try? await Task.sleep(for: HangLimit.duration)
            task.cancel()
        }
        defer { timer.cancel() }
        return await task.value
    }
}

extension Status {
    /// Whether it says that no answer came in time, which the machine's other work can cause, too.
    fileprivate var isTimeout: Bool {
        let timeouts: [Reason] = [.queryTimeout, .tlsTimeout, .firstByteTimeout, .bodyTimeout, .blackHole]
        return reason.map(timeouts.contains) ?? false
    }
}
