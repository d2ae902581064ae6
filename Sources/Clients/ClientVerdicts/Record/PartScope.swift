// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import LinkProfiles

/// The connections that a part of a run is about: those of one test, beside tests in other processes, and apart from
/// connections shared by several tests.
///
/// ```json
/// { "process": 1234, "since": 1795384931898089564, "until": 1795384932301577247 }
/// ```
package struct PartScope: Hashable, Sendable {
    /// The process whose connections are judged, with those of its descendants; nil for all processes.
    package var process: Int32?
    /// The process's parent and so on, as in ``SocketHolder/ancestors``.
    package var ancestors: [Int32] = []
    /// Whether the run has processes other than its own and these ancestors.
    package var hasOthers = false
    /// The time from which connections belong to the part; nil for its start. A test's own fixtures count as the test's.
    package var since: Instant?
    /// Until when is counted what the client does; nil for the end. Connections that begin after that belong to the part
    /// nevertheless.
    package var until: Instant?
    /// Times in which connections were opened that belong to several tests.
    package var shared: [ClosedRange<Instant>] = []
    /// The sockets that belong to several tests, by inode.
    package var sharedSockets: Set<UInt64> = []

    package init(process: Int32? = nil) { self.process = process }

    /// The relation to a socket that this process held.
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

extension PartScope: JSONObject {
    package static let blank = PartScope()

    /// Reading refuses unknown members. What other processes there are is not told, but looked up.
    package mutating func describe(_ members: inout JSONMembers) {
        members.optional("process", &process)
        members.optional("since", &since)
        members.optional("until", &until)
        var ranges: [ClosedRange<Instant>]? = shared
        members.optional("shared", &ranges)
        shared = ranges ?? []
        var sockets: [UInt64]? = sharedSockets.sorted()
        members.optional("sharedSockets", &sockets)
        sharedSockets = Set(sockets ?? [])
        members.refuseOthers()
    }
}

extension ClosedRange: JSONConvertible where Bound == Instant {
    /// The first and the last moment.
    package var json: JSON { [lowerBound, upperBound].json }

    package init?(json: JSON) {
        guard let ends = [Instant](json: json), ends.count == 2, ends[0] <= ends[1] else { return nil }
        self = ends[0]...ends[1]
    }
}
