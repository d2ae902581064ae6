// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
package import ClientTraffic
package import LinkProfiles

/// Something that happened during a run, or that was sampled: a line of its record.
package struct RunEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The command was started.
        case begin
        /// The command has ended.
        case end
        /// The client is observed since a time that is not the run's start.
        case observing(since: Instant)
        /// A client of the control socket has changed the conditions: "python3 (1234)", if that is known.
        case conditions(profile: String, by: String? = nil)
        /// A step of a scenario took effect, with what it changed of the uplink's network.
        case step(String, profile: String?, changes: [String] = [])
        /// A step of a scenario failed, and the conditions before it stay in effect.
        case failed(String, reason: String)
        /// A step of a scenario never began.
        case missed(String, waitingFor: String?)
        /// The client has reached a point that it names.
        case mark(String)
        /// The sockets are looked at from now on, with this time between two looks.
        case sampling(every: Duration)
        /// A socket asked for a connection at `last`, and does so no more: it was accepted, refused or closed.
        case asked(SocketEnds, last: Instant)
        /// A process held a socket at `last`, and none does any more.
        case closed(SocketEnds, last: Instant)
        /// A process held a connected socket at `last`, and the kernel no longer has it.
        case removed(SocketEnds, last: Instant)
        /// A process holds a socket: "curl (1234)".
        case owner(SocketEnds, String, SocketHolder?)
        /// Some process holds a socket, and the command has ended.
        case open(SocketEnds, owner: String?)
        /// Some process holds a socket, and the observation begins.
        case older(SocketEnds, owner: String?)
        /// The sockets were looked at for the last time.
        case sampled
        /// Processes waited for a processor.
        case busy(from: Instant, waited: Duration)
        /// The time of day was set, forwards for a positive duration. No time of the run is by it.
        case timeOfDaySet(by: Duration)
        /// What a monitor beside the client says of a target.
        case monitor(RunRecord.MonitorVerdict)
        /// A monitor beside the client probes by this socket.
        case probe(SocketEnds)
        /// A process that the run's network consists of has ended, was stopped, or goes on; as the subject of a
        /// sentence: "lc-gateway, which carries the uplink,".
        case carrier(String, CarrierState)
        /// A part of the conditions, and how many packets it has met until the end.
        case part(ConditionsPart)
        /// A test asked for verdicts on a part of the run, and got these.
        case judged(TestVerdicts)
        /// The capture is written, with this digest.
        case recorded(CaptureDigest.Value)
        /// Events are missing: there was no room for them.
        case cut
    }

    /// What a process has come to that the run's network consists of.
    package enum CarrierState: String, Hashable, Sendable {
        case ended
        case stopped
        case continued
    }

    package var time: Instant
    package var kind: Kind

    package init(_ time: Instant, _ kind: Kind) { (self.time, self.kind) = (time, kind) }
}

extension RunEvent {
    /// The event as a line of JSON, with its end.
    package var line: [UInt8] {
        let (name, members) = kind.members
        let json = JSON(members: [("time", .number(time.nanoseconds)), ("event", .text(name))] + members)
        return Array("\(json.line)\n".utf8)
    }

    /// Why JSON is no event.
    package enum Problem: Error, Hashable, Sendable {
        /// No event has this name.
        case unknown(String)
        /// Something is missing, or is of another shape.
        case incomplete
    }

    /// Reads an event.
    package init(json: JSON) throws(Problem) {
        let members = Members(json: json)
        let time = try members.instant("time")
        let name: String = try members.value("event")
        self.init(time, try Kind(name, members, time))
    }

    /// The members of an event.
    fileprivate struct Members {
        let json: JSON

        func value<Value: JSONConvertible>(_ name: String) throws(Problem) -> Value {
            guard let value: Value = json.required(name) else { throw .incomplete }
            return value
        }

        func instant(_ name: String) throws(Problem) -> Instant { Instant(nanoseconds: try value(name)) }

        func duration(_ name: String) throws(Problem) -> Duration { .nanoseconds(try value(name) as Int64) }

        func socket(isTCP: Bool = true) throws(Problem) -> SocketEnds {
            guard let client = Endpoint(try value("client")), let server = Endpoint(try value("server")) else {
                throw .incomplete
            }
            return SocketEnds(client, server, isTCP: isTCP)
        }
    }
}

extension RunEvent.Kind {
    /// The name and the members of the event, in order.
    fileprivate var members: (name: String, members: [(String, JSON?)]) {
        switch self {
        case .begin: ("begin", [])
        case .end: ("end", [])
        case .observing(let since): ("observing", [("since", .number(since.nanoseconds))])
        case .conditions(let profile, let client):
            ("conditions", [("profile", .text(profile)), ("by", .text(client))])
        case .step(let label, let profile, let changes):
            ("step", [("label", .text(label)), ("profile", .text(profile)), ("changes", .texts(changes))])
        case .failed(let label, let reason): ("failed", [("label", .text(label)), ("reason", .text(reason))])
        case .missed(let label, let trigger): ("missed", [("label", .text(label)), ("for", .text(trigger))])
        case .mark(let name): ("mark", [("name", .text(name))])
        case .sampling(let period): ("sampling", [("every", .number(period.nanoseconds))])
        case .asked(let socket, let last): ("asked", socket.members + [("last", .number(last.nanoseconds))])
        case .closed(let socket, let last): ("closed", socket.members + [("last", .number(last.nanoseconds))])
        case .removed(let socket, let last): ("removed", socket.members + [("last", .number(last.nanoseconds))])
        case .owner(let socket, let owner, let holder):
            ("owner", socket.members + [("owner", .text(owner)), ("holder", holder?.json)])
        case .open(let socket, let owner): ("open", socket.members + [("owner", .text(owner))])
        case .older(let socket, let owner): ("older", socket.members + [("owner", .text(owner))])
        case .sampled: ("sampled", [])
        case .busy(let from, let waited):
            ("busy", [("from", .number(from.nanoseconds)), ("waited", .number(waited.nanoseconds))])
        case .timeOfDaySet(let change): ("timeOfDaySet", [("by", .number(change.nanoseconds))])
        case .monitor(let verdict): ("monitor", verdict.members)
        case .probe(let socket): ("probe", socket.members + [("transport", socket.isTCP ? "tcp" : "udp")])
        case .carrier(let role, let state): ("carrier", [("role", .text(role)), ("state", .text(state.rawValue))])
        case .part(let part): ("part", part.members)
        case .judged(let test): ("judged", test.members)
        case .recorded(let digest):
            ("recorded", [("length", .number(digest.length)), ("checksum", .number(digest.checksum))])
        case .cut: ("cut", [])
        }
    }

    fileprivate init(_ name: String, _ members: RunEvent.Members, _ time: Instant) throws(RunEvent.Problem) {
        switch name {
        case "begin": self = .begin
        case "end": self = .end
        case "observing": self = .observing(since: try members.instant("since"))
        case "conditions":
            self = .conditions(profile: try members.value("profile"), by: members.json.required("by"))
        case "step":
            self = .step(
                try members.value("label"),
                profile: members.json.required("profile"),
                changes: members.json.required("changes") ?? []
            )
        case "failed": self = .failed(try members.value("label"), reason: try members.value("reason"))
        case "missed": self = .missed(try members.value("label"), waitingFor: members.json.required("for"))
        case "mark": self = .mark(try members.value("name"))
        case "sampling": self = .sampling(every: try members.duration("every"))
        case "asked": self = .asked(try members.socket(), last: try members.instant("last"))
        case "closed": self = .closed(try members.socket(), last: try members.instant("last"))
        case "removed": self = .removed(try members.socket(), last: try members.instant("last"))
        case "owner":
            self = .owner(try members.socket(), try members.value("owner"), members.json.required("holder"))
        case "open": self = .open(try members.socket(), owner: members.json.required("owner"))
        case "older": self = .older(try members.socket(), owner: members.json.required("owner"))
        case "sampled": self = .sampled
        case "busy": self = .busy(from: try members.instant("from"), waited: try members.duration("waited"))
        case "timeOfDaySet": self = .timeOfDaySet(by: try members.duration("by"))
        case "monitor": self = .monitor(try RunRecord.MonitorVerdict(members, time))
        case "probe": self = .probe(try members.socket(isTCP: try members.value("transport") == "tcp"))
        case "carrier":
            let state: String = try members.value("state")
            guard let known = RunEvent.CarrierState(rawValue: state) else { throw .incomplete }
            self = .carrier(try members.value("role"), known)
        case "part":
            guard let part = ConditionsPart(json: members.json) else { throw .incomplete }
            self = .part(part)
        case "judged": self = .judged(try TestVerdicts(members))
        case "recorded":
            self = .recorded(
                CaptureDigest.Value(length: try members.value("length"), checksum: try members.value("checksum"))
            )
        case "cut": self = .cut
        default: throw .unknown(name)
        }
    }
}

extension JSON {
    /// A list of strings; nil for none.
    fileprivate static func texts(_ texts: [String]) -> JSON? {
        texts.isEmpty ? nil : .list(texts.map { JSON(.string($0)) })
    }
}

extension SocketEnds {
    fileprivate var members: [(String, JSON?)] { [("client", .text(client)), ("server", .text(server))] }
}

extension TestVerdicts {
    fileprivate var members: [(String, JSON?)] {
        [
            ("test", .text(name)), ("begin", .number(begin.nanoseconds)), ("end", .number(end.nanoseconds)),
            ("expectations", results.json),
        ]
    }

    fileprivate init(_ members: RunEvent.Members) throws(RunEvent.Problem) {
        self.init(
            members.json.required("test"),
            from: try members.instant("begin"),
            to: try members.instant("end"),
            try members.value("expectations")
        )
    }
}

extension RunRecord.MonitorVerdict {
    fileprivate var members: [(String, JSON?)] {
        [
            ("target", .text(target)),
            ("peer", .text(peer)),
            ("addresses", .list(addresses.map { JSON(.string($0)) })),
            ("status", .text(status)),
            ("reachable", .bool(isReachable)),
            ("reason", .text(reason)),
            ("interval", .number(interval.nanoseconds)),
            ("bound", .number(bound.nanoseconds)),
        ]
    }

    fileprivate init(_ members: RunEvent.Members, _ time: Instant) throws(RunEvent.Problem) {
        let duration = { (name: String) -> Duration in .nanoseconds(members.json.required(name) ?? 0 as Int64) }
        self.init(
            time,
            try members.value("target"),
            peer: members.json.required("peer").flatMap { Peer(parsing: $0) },
            status: try members.value("status"),
            isReachable: try members.value("reachable"),
            reason: members.json.required("reason"),
            interval: duration("interval"),
            bound: duration("bound")
        )
        addresses = members.json.required("addresses") ?? []
    }
}
