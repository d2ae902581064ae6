// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// What is true of an expectation by the client's own account.
struct KnownTruth: CustomStringConvertible {
    /// Whether it holds; nil if there is nothing that could be said of it.
    var holds: Bool?
    /// Whether the judge may doubt it: nothing tells it the moment well enough.
    var isBlurred = false

    static let nothing = KnownTruth(holds: nil)

    var description: String {
        (holds.map { $0 ? "holds" : "does not hold" } ?? "says nothing") + (isBlurred ? ", blurred" : "")
    }

    /// Whether a verdict contradicts it.
    func isContradicted(by verdict: Verdict) -> Bool {
        switch verdict {
        case .pass: holds != true
        case .fail: holds != false
        case .inconclusive, .skipped: false
        }
    }

    /// Of several that all must hold.
    static func all(_ parts: [KnownTruth]) -> KnownTruth {
        var all = KnownTruth(holds: parts.isEmpty || parts.contains { $0.holds == nil } ? nil : true)
        if parts.contains(where: { $0.holds == false }) { all.holds = false }
        all.isBlurred = parts.contains { $0.isBlurred }
        return all
    }

    /// Of a figure with a limit, which may look anything between `low` and `high`.
    static func figure(_ exact: Int64, _ low: Int64, _ high: Int64, atMost limit: Int64) -> KnownTruth {
        KnownTruth(holds: exact <= limit, isBlurred: (low <= limit) != (high <= limit))
    }
}

extension KnownConnection {
    /// How wrong a moment may be that only looks at the sockets tell.
    private static let blur = Int64.ms(130)

    /// The least and the greatest moment at which it may seem to have been let go, and the true one.
    func letGoTimes(end: Int64) -> (low: Int64, exact: Int64, high: Int64) {
        guard let letGo else { return (.max, .max, .max) }
        guard !isTold else { return (letGo, letGo, letGo) }
        return (max(opened, letGo - Self.blur), letGo, letGo + Self.blur)
    }

    func isOpen(at moment: Int64) -> Bool { opened <= moment && letGo ?? .max > moment }
}

extension KnownRun {
    /// A time that an expectation is about: a label, or the whole run.
    struct Part {
        var begin: Int64
        var end: Int64
        func contains(_ moment: Int64) -> Bool { moment >= begin && moment < end }
    }

    func parts(of label: String?) -> [Part] {
        guard let label else { return [Part(begin: begin, end: .max)] }
        return labels.filter { $0.name == label }.map { Part(begin: $0.begin, end: $0.end) }
    }

    func connections(to peer: Peer?) -> [KnownConnection] {
        client.connections.filter { connection in
            guard let peer else { return true }
            return peer.host == "\(KnownEvents.address(connection.ends.host))"
                && peer.port == connection.ends.serverPort
        }
    }

    /// What is true of an expectation.
    func truth(of expectation: ClientExpectation) -> KnownTruth {
        var truth = plainTruth(of: expectation)
        guard network.link.damagedBytes > 0 else { return truth }
        // The one packet that tells an end, or begins a request, may be damaged.
        switch expectation.kind {
        case .closes, .timesOut, .atMost(_, .connectionsAtATime), .atMost(_, .requests): truth.isBlurred = true
        case .atMost(_, .connections): truth.isBlurred = truth.isBlurred || expectation.label != nil
        default: break
        }
        return truth
    }

    private func plainTruth(of expectation: ClientExpectation) -> KnownTruth {
        let parts = parts(of: expectation.label)
        let connections = connections(to: expectation.peer)
        switch expectation.kind {
        case .completes(let limit):
            guard case .exited = plan.outcome else { return KnownTruth(holds: false) }
            return KnownTruth(holds: plan.length <= limit.nanoseconds)
        case .exits(let status): return KnownTruth(holds: plan.outcome == .exited(status))
        case .leavesNoConnectionOpen:
            return KnownTruth(holds: client.connections.allSatisfy { $0.letGo != nil })
        case .sendsNoRequestTwice: return repetition(expectation.peer)
        case .firstByte(let limit):
            if connections.isEmpty, expectation.label == nil { return KnownTruth(holds: false, isBlurred: true) }
            let first = connections.map(\.opened).min() ?? begin
            return .all(parts.map { answer(connections, after: expectation.label == nil ? first : $0.begin, limit) })
        case .recovers(let limit): return .all(parts.map { answer(connections, after: $0.begin, limit) })
        case .closes(let limit):
            return .all(
                parts.map { part in
                    let open = connections.filter { $0.isOpen(at: part.begin) }
                    return .all(open.map { ended($0, by: part.begin + limit.nanoseconds) })
                }
            )
        case .timesOut(let limit): return .all(parts.map { givingUp(connections, limit.nanoseconds, $0) })
        case .atMost(let limit, let what):
            return .all(parts.map { count(what, connections, expectation.peer, $0, Int64(limit)) })
        case .attemptsBackOff: return backingOff(expectation.peer)
        case .monitorAgrees, .usesIPv4, .migrates, .resumes, .fallsBackToTCP, .asksDNSAgain, .sendsKeepAlives:
            return .nothing
        }
    }

    private func answer(_ connections: [KnownConnection], after moment: Int64, _ limit: Duration) -> KnownTruth {
        let first = connections.flatMap(\.arrivals).filter { $0 > moment && $0 < end }.min()
        // A connection that was let go in secret may seem to be there when data comes for it.
        return KnownTruth(holds: first.map { $0 - moment <= limit.nanoseconds } ?? false)
    }

    private func ended(_ connection: KnownConnection, by deadline: Int64) -> KnownTruth {
        let times = connection.letGoTimes(end: end)
        // A command that has ended before tells nothing of what would have been.
        if times.exact == .max, end <= deadline { return .nothing }
        return .figure(times.exact, times.low, times.high, atMost: deadline)
    }

    private func givingUp(_ connections: [KnownConnection], _ limit: Int64, _ part: Part) -> KnownTruth {
        let waiting = connections.filter { $0.isOpen(at: part.begin) || part.contains($0.opened) }
        let truths = waiting.compactMap { connection -> KnownTruth? in
            var last = max(connection.opened, part.begin)
            for arrival in connection.arrivals where arrival > last && arrival <= last + limit { last = arrival }
            guard last < part.end else { return nil }
            let times = connection.letGoTimes(end: end)
            // The label was over before the limit was.
            if times.exact > part.end, part.end < last + limit { return .nothing }
            var truth = ended(connection, by: last + limit)
            if times.low <= part.end, times.high > part.end { truth.isBlurred = true }
            return truth
        }
        return .all(truths)
    }

    /// The job that alone tried a peer, and always in vain; nil where the waits are those of several, or spread by chance
    /// around one length: what they look like is a matter of odds, which `BackoffTests` counts.
    func retriedJob(to peer: Peer) -> Int? {
        let jobs = client.jobs.indices.filter { index in
            peer.port == network.services[client.jobs[index].service].port && !client.attempts[index].isEmpty
        }
        guard jobs.count == 1, !client.hasAnswer[jobs[0]] else { return nil }
        return client.jobs[jobs[0]].factor > 1 || client.jobs[jobs[0]].jitter == 0 ? jobs[0] : nil
    }

    private func backingOff(_ peer: Peer?) -> KnownTruth {
        guard let index = peer.flatMap({ retriedJob(to: $0) }) else { return .nothing }
        let job = client.jobs[index]
        let waits = zip(client.attempts[index], client.attempts[index].dropFirst()).map { $1 - $0 }
        // Attempts that take longer and longer to fail are made at growing times, whatever the client waits after them.
        let doesGrow = job.factor > 1 || zip(waits, waits.dropFirst()).allSatisfy { $1 > 2 * $0 }
        // Fewer waits, or waits of which each is spread by chance, may tell too little.
        return KnownTruth(holds: waits.count < 2 ? nil : doesGrow, isBlurred: waits.count < 5 || job.jitter > 0)
    }

    private func repetition(_ peer: Peer?) -> KnownTruth {
        let own = client.requests.filter { request in
            let connection = client.connections[request.connection]
            return connection.isHTTP && connections(to: peer).contains { $0 === connection }
        }
        let isHidden = connections(to: peer).contains { !$0.isHTTP && $0.accepted != nil }
        if own.contains(where: \.repeats) { return KnownTruth(holds: false) }
        return own.isEmpty || isHidden ? .nothing : KnownTruth(holds: true)
    }
}
