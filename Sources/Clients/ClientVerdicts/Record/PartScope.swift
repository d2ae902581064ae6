// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import LinkProfiles

/// The connections that a part of a run is about: for a test, its connections, without those of tests in other
/// processes, and without those that several tests share.
///
/// ```json
/// { "process": 1234, "since": 1795384931898089564, "until": 1795384932301577247 }
/// ```
package struct PartScope: Hashable, Sendable {
    /// The process whose connections are judged, with those of its descendants; nil for all processes.
    package var process: Int32?
    /// The parent of `process`, the parent's parent and so on, as in ``SocketHolder/ancestors``.
    package var ancestors: [Int32] = []
    /// Whether the run has processes other than `process`, its descendants and its ancestors.
    package var hasOthers = false
    /// The time from which connections belong to the part; nil for the part's start. A test's own fixtures count as the
    /// test's.
    package var since: Instant?
    /// The time until which the client's actions count; nil for the part's end. Connections that start later belong to
    /// the part nevertheless.
    package var until: Instant?
    /// Periods in which connections were opened that several tests share.
    package var shared: [ClosedRange<Instant>] = []
    /// The inodes of sockets that several tests share.
    package var sharedSockets: Set<UInt64> = []

    package init(process: Int32? = nil) { self.process = process }

    /// The relation of a socket's holder to the processes of the part.
    package func relation(to holder: SocketHolder?) -> Connection.Relation {
        guard let process else { return .own }
        guard let holder else { return .unknown }
        if holder.process == process || holder.ancestors.contains(process) || holder.mark == process { return .own }
        // A process that descends from an ancestor, but not from `process`, is another's: an orphan of `process` would
        // be a child of the supervisor.
        let others = Set(ancestors)
        if holder.mark != nil || others.contains(holder.process) || !others.isDisjoint(with: holder.ancestors) {
            return .other
        }
        return .unknown
    }
}

extension PartScope: JSONObject {
    package static let blank = PartScope()

    /// Reading rejects unknown members. `ancestors` and `hasOthers` are looked up, and not members.
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
