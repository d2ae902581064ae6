// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
package import ClientTraffic
package import LinkProfiles

/// An event or a sample of a run: a line of its record.
package struct RunEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The command was started.
        case begin
        /// The command has ended.
        case end
        /// The client has been observed since `since`, which is not the run's start.
        case observing(since: Instant)
        /// A client of the control socket has changed the conditions; `by` is its process, such as "python3 (1234)", if
        /// known.
        case conditions(profile: String, by: String? = nil)
        /// A client of the control socket has taken all conditions out of effect.
        case off(by: String? = nil)
        /// A client has brought these conditions back into effect; nil if there were none.
        case on(profile: String?, by: String? = nil)
        /// A step of a scenario took effect; `changes` are its changes to the uplink's network.
        case step(String, profile: String?, changes: [String] = [])
        /// A step of a scenario failed; the conditions before it stay in effect.
        case failed(String, reason: String)
        /// A step of a scenario never started.
        case missed(String, waitingFor: String?)
        /// The client has set a mark with this name.
        case mark(String)
        /// The sockets are scanned from now on, with this time between two scans.
        case sampling(every: Duration)
        /// A socket was connecting at `last`, and no longer is: it was accepted, refused or closed.
        case asked(SocketEnds, last: Instant)
        /// A process held a socket at `last`, and no process does any longer.
        case closed(SocketEnds, last: Instant)
        /// A process held a connected socket at `last`, and the kernel no longer has the socket.
        case removed(SocketEnds, last: Instant)
        /// A process, such as "curl (1234)", holds a socket.
        case owner(SocketEnds, String, SocketHolder?)
        /// A process holds a socket after the command has ended.
        case open(SocketEnds, owner: String?)
        /// A process holds a socket at the start of the observation.
        case older(SocketEnds, owner: String?)
        /// The sockets were scanned for the last time.
        case sampled
        /// Processes waited for a CPU.
        case busy(from: Instant, waited: Duration)
        /// The time of day was set, forwards for a positive duration. The times of the run do not follow the change.
        case timeOfDaySet(by: Duration)
        /// A monitor beside the client gave a verdict on a target.
        case monitor(RunRecord.MonitorVerdict)
        /// A monitor beside the client probes through this socket.
        case probe(SocketEnds)
        /// A process that the run's network needs has ended, was stopped, or was continued. The string is the subject
        /// of a sentence: "lc-gateway, which carries the uplink,".
        case forwarder(String, ForwarderState)
        /// A part of the conditions, and the number of packets that it affected until the end.
        case part(ConditionsPart)
        /// A test requested verdicts on a part of the run, and received these.
        case judged(TestVerdicts)
        /// The capture has been written; this is its digest.
        case recorded(CaptureDigest.Value)
        /// Events are missing for lack of space.
        case cut
    }

    /// The state of a process that carries the run's network.
    package enum ForwarderState: String, Hashable, Sendable {
        case ended
        case stopped
        case continued
    }

    package var time: Instant
    package var kind: Kind

    package init(_ time: Instant, _ kind: Kind) { (self.time, self.kind) = (time, kind) }
}

extension RunEvent: JSONObject {
    package static let blank = RunEvent(.zero, .begin)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("time", &time)
        kind.describe(&members)
        if case .monitor(var verdict) = kind {
            verdict.time = time
            kind = .monitor(verdict)
        }
    }
}

extension RunEvent {
    /// The event as a line of JSON, with the line feed.
    package var line: [UInt8] { Array("\(written.line)\n".utf8) }

    /// The reason why JSON is not an event.
    package enum Problem: Error, Hashable, Sendable {
        /// No event has this name.
        case unknown(String)
        /// A member is missing, or has a wrong type.
        case incomplete
    }

    /// Reads an event.
    package init(parsing json: JSON) throws(Problem) {
        if let event = RunEvent(reading: json) {
            self = event
            return
        }
        guard let _: Instant = json.required("time"), let name: String = json.required(Kind.caseKey),
            Kind.blanks[name] == nil
        else { throw .incomplete }
        throw .unknown(name)
    }
}

extension RunEvent.Kind: JSONEnumeration {
    package static let caseKey = "event"

    package static let blanks = JSONBlanks<Self>(
        .begin,
        .end,
        .observing(since: .zero),
        .conditions(profile: ""),
        .off(),
        .on(profile: nil),
        .step("", profile: nil),
        .failed("", reason: ""),
        .missed("", waitingFor: nil),
        .mark(""),
        .sampling(every: .zero),
        .asked(.blank, last: .zero),
        .closed(.blank, last: .zero),
        .removed(.blank, last: .zero),
        .owner(.blank, "", nil),
        .open(.blank, owner: nil),
        .older(.blank, owner: nil),
        .sampled,
        .busy(from: .zero, waited: .zero),
        .timeOfDaySet(by: .zero),
        .monitor(.blank),
        .probe(.blank),
        .forwarder("", .ended),
        .part(.blank),
        .judged(.blank),
        .recorded(.blank),
        .cut
    )

    package func described(by members: inout JSONMembers) -> Self {
        switch self {
        case .begin: members.case("begin", .begin)
        case .end: members.case("end", .end)
        case .observing(let since): members.case("observing", Self.observing, .required("since", since))
        case .conditions(let profile, let client):
            members.case("conditions", Self.conditions, .required("profile", profile), .lenient("by", client))
        case .off(let client): members.case("off", Self.off, .lenient("by", client))
        case .on(let profile, let client):
            members.case("on", Self.on, .lenient("profile", profile), .lenient("by", client))
        case .step(let label, let profile, let changes):
            members.case(
                "step",
                { (label, profile, changes) in .step(label, profile: profile, changes: changes ?? []) },
                .required("label", label),
                .lenient("profile", profile),
                .lenient("changes", changes.isEmpty ? nil : changes)
            )
        case .failed(let label, let reason):
            members.case("failed", Self.failed, .required("label", label), .required("reason", reason))
        case .missed(let label, let trigger):
            members.case("missed", Self.missed, .required("label", label), .lenient("for", trigger))
        case .mark(let name): members.case("mark", Self.mark, .required("name", name))
        case .sampling(let period): members.case("sampling", Self.sampling, .required("every", period))
        case .asked(let socket, let last):
            members.case("asked", Self.asked, .members(socket), .required("last", last))
        case .closed(let socket, let last):
            members.case("closed", Self.closed, .members(socket), .required("last", last))
        case .removed(let socket, let last):
            members.case("removed", Self.removed, .members(socket), .required("last", last))
        case .owner(let socket, let owner, let holder):
            members.case("owner", Self.owner, .members(socket), .required("owner", owner), .lenient("holder", holder))
        case .open(let socket, let owner):
            members.case("open", Self.open, .members(socket), .lenient("owner", owner))
        case .older(let socket, let owner):
            members.case("older", Self.older, .members(socket), .lenient("owner", owner))
        case .sampled: members.case("sampled", .sampled)
        case .busy(let from, let waited):
            members.case("busy", Self.busy, .required("from", from), .required("waited", waited))
        case .timeOfDaySet(let change): members.case("timeOfDaySet", Self.timeOfDaySet, .required("by", change))
        case .monitor(let verdict): members.case("monitor", Self.monitor, .members(verdict))
        case .probe(let socket):
            members.case("probe", Self.probe, JSONAssociated(socket) { $1.describeWithTransport(&$0) })
        case .forwarder(let role, let state):
            members.case("carrier", Self.forwarder, .required("role", role), .required("state", state))
        case .part(let part): members.case("part", Self.part, .members(part))
        case .judged(let test): members.case("judged", Self.judged, .members(test))
        case .recorded(let digest): members.case("recorded", Self.recorded, .members(digest))
        case .cut: members.case("cut", .cut)
        }
    }
}

extension RunEvent.ForwarderState: JSONConvertible {}
