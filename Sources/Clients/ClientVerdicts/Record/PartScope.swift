// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import LinkProfiles

/// Which connections a part of a run is about: those of one test, beside tests in other processes, and apart from what
/// belongs to several tests.
///
/// ```json
/// { "process": 1234, "since": 1795384931898089564, "until": 1795384932301577247 }
/// ```
package struct PartScope: Hashable, Sendable {
    /// The process whose connections are judged, with those of its descendants; nil for all processes.
    package var process: Int32?
    /// Its parent and so on, as in ``SocketHolder/ancestors``.
    package var ancestors: [Int32] = []
    /// Whether the run has processes other than its own and these ancestors.
    package var hasOthers = false
    /// From when on connections belong to the part; nil for its start. What a test's own fixtures connect is the test's.
    package var since: Instant?
    /// Until when is counted what the client does; nil for the end. Connections that begin after that belong to the part
    /// nevertheless.
    package var until: Instant?
    /// Times in which connections were opened that belong to several tests.
    package var shared: [ClosedRange<Instant>] = []
    /// The sockets that belong to several tests, by inode.
    package var sharedSockets: Set<UInt64> = []

    package init(process: Int32? = nil) { self.process = process }

    /// Whose a socket is that this process held.
    package func relation(to holder: SocketHolder?) -> Connection.Relation {
        guard let process else { return .own }
        guard let holder else { return .unknown }
        if holder.process == process || holder.ancestors.contains(process) || holder.mark == process { return .own }
        // A process below one of the ancestors has not come from here: orphans become children of the supervisor.
        let others = Set(ancestors)
        if holder.mark != nil || others.contains(holder.process) || !others.isDisjoint(with: holder.ancestors) {
            return .other
        }
        return .unknown
    }
}

extension PartScope: JSONConvertible {
    package var json: JSON {
        JSON(
            ("process", .number(process)),
            ("since", .number(since?.nanoseconds)),
            ("until", .number(until?.nanoseconds)),
            ("shared", shared.map { [$0.lowerBound.nanoseconds, $0.upperBound.nanoseconds] }.json),
            ("sharedSockets", sharedSockets.sorted().json)
        )
    }

    /// Reads a scope; nil for anything else. What other processes there are is not told, but looked up.
    package init?(json: JSON) {
        let names = ["process", "since", "until", "shared", "sharedSockets"]
        guard json.members.allSatisfy({ names.contains($0.name) }), let process: Int32? = json.optional("process"),
            let since: Int64? = json.optional("since"), let until: Int64? = json.optional("until"),
            let shared: [[Int64]]? = json.optional("shared"),
            let sockets: [UInt64]? = json.optional("sharedSockets"),
            shared?.allSatisfy({ $0.count == 2 && $0[0] <= $0[1] }) ?? true
        else { return nil }
        self.init(process: process)
        self.since = since.map { Instant(nanoseconds: $0) }
        self.until = until.map { Instant(nanoseconds: $0) }
        self.shared = (shared ?? []).map { Instant(nanoseconds: $0[0])...Instant(nanoseconds: $0[1]) }
        sharedSockets = Set(sockets ?? [])
    }
}
