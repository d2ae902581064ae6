// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkProfiles

extension RunRecord {
    /// Reads the events of a run as `RunRecordReader` does.
    package init(events text: [UInt8], started: Instant, ended: Instant, outcome: End) {
        var reader = RunRecordReader(started: started, ended: ended, outcome: outcome)
        reader.append(text[...])
        self = reader.finish()
    }

    /// Leaves of a longer run only what belongs to the time between `begin` and `end`.
    package mutating func limit(to begin: Instant, _ end: Instant) {
        beginsLater = begin > self.begin
        (self.begin, self.end, isPart) = (begin, end, true)
        // What comes at the end of the run is still to come.
        isComplete = true
        labels.removeAll { $0.begin < begin || $0.begin > end }
        closeLabels()
    }

    fileprivate struct Event {
        var time: Instant
        var kind: String
        var json: JSON

        init?(json: JSON) {
            guard let time: Int64 = json.required("time"), let kind: String = json.required("event") else { return nil }
            (self.time, self.kind, self.json) = (Instant(nanoseconds: time), kind, json)
        }

        func text(_ name: String) -> String? { json.required(name) }

        func instant(_ name: String) -> Instant? {
            json.required(name).map { (number: Int64) in Instant(nanoseconds: number) }
        }

        var ends: (client: Endpoint, server: Endpoint)? {
            guard let client = text("client").flatMap({ Endpoint($0) }),
                let server = text("server").flatMap({ Endpoint($0) })
            else { return nil }
            return (client, server)
        }

        var verdict: MonitorVerdict? {
            guard let target = text("target"), let status = text("status"),
                let isReachable: Bool = json.required("reachable")
            else { return nil }
            let nanoseconds = { (name: String) in
                json.required(name).map { (number: Int64) in Duration.nanoseconds(number) }
            }
            var verdict = MonitorVerdict(
                time,
                target,
                peer: text("peer").flatMap { Peer(parsing: $0) },
                status: status,
                isReachable: isReachable,
                reason: text("reason"),
                interval: nanoseconds("interval") ?? .zero,
                bound: nanoseconds("bound") ?? .zero
            )
            verdict.addresses = json.required("addresses") ?? []
            return verdict
        }
    }

    fileprivate mutating func add(_ event: Event) {
        switch event.kind {
        case "begin": begin = event.time
        case "end": end = event.time
        case "step":
            guard let name = event.text("label") else { return }
            var label = Label(name, .step, from: event.time, to: end)
            label.profile = event.text("profile")
            labels.append(label)
        case "mark":
            if let name = event.text("name") { labels.append(Label(name, .mark, from: event.time, to: end)) }
        case "conditions":
            if let profile = event.text("profile") { changes.append(Change(event.time, profile)) }
        case "missed":
            if let label = event.text("label") { missedSteps[label] = event.text("for") ?? "its turn" }
        case "observing": observedSince = event.instant("since")
        case "sampling":
            if let period: Int64 = event.json.required("every") { samplingPeriod = .nanoseconds(period) }
        case "asked", "closed":
            guard let (client, server) = event.ends, let last = event.instant("last") else { return }
            let kind: SocketChange.Kind = event.kind == "asked" ? .asked : .closed
            socketChanges.append(SocketChange(kind, client: client, server: server, last: last, gone: event.time))
        case "open", "older":
            guard let (client, server) = event.ends else { return }
            let socket = OpenSocket(client: client, server: server, owner: event.text("owner"))
            if event.kind == "open" { openAtEnd.append(socket) } else { olderSockets.append(socket) }
        case "sampled": isComplete = true
        case "cut": shortfall = .eventsMissing
        case "owner":
            guard let (client, server) = event.ends, let name = event.text("owner") else { return }
            owners.append(Owner(event.time, client: client, server: server, name))
        case "probe":
            guard let (client, server) = event.ends else { return }
            let isTCP = event.text("transport") == "tcp"
            probes.append(Probe(event.time, client: client, server: server, isTCP: isTCP))
        case "monitor":
            if let verdict = event.verdict { monitorVerdicts.append(verdict) }
        case "busy":
            guard let from = event.instant("from"), let waited: Int64 = event.json.required("waited") else { return }
            stalls.append(Stall(from: from, to: event.time, waited: .nanoseconds(waited)))
        default: break
        }
    }

    /// A label lasts until the next of its kind, or to the end of the run.
    fileprivate mutating func closeLabels() {
        var next: [Label.Kind: Instant] = [:]
        for index in labels.indices.reversed() {
            labels[index].end = next[labels[index].kind] ?? max(end, labels[index].begin)
            next[labels[index].kind] = labels[index].begin
        }
    }
}

/// Reads the events of a run, one JSON object a line, as pieces of the text come. Lines that are cut or not understood are
/// passed over: whatever wrote them may have been killed.
package struct RunRecordReader {
    private var record: RunRecord
    /// What follows the last whole line.
    private var rest: [UInt8] = []

    /// Reads nothing yet.
    ///
    /// - Parameters:
    ///   - started: the time at which the command was to start, if no event tells.
    ///   - ended: the same for its end.
    package init(started: Instant, ended: Instant, outcome: RunRecord.End) {
        record = RunRecord(begin: started, end: ended, outcome: outcome)
        record.isComplete = false
    }

    /// Reads a piece of the text.
    package mutating func append(_ piece: ArraySlice<UInt8>) {
        var lines = piece
        while let end = lines.firstIndex(of: UInt8(ascii: "\n")) {
            add(rest + lines[..<end])
            rest = []
            lines = lines[(end + 1)...]
        }
        rest += lines
    }

    /// The record of all that was read.
    package consuming func finish() -> RunRecord {
        add(rest)
        record.closeLabels()
        return record
    }

    private mutating func add(_ line: [UInt8]) {
        guard !line.isEmpty, let json = try? JSON(utf8: line), let event = RunRecord.Event(json: json) else { return }
        record.add(event)
    }
}

extension Endpoint {
    /// Parses "192.0.2.1:80" or "[2001:db8::1]:80".
    package init?(_ text: String) {
        guard let peer = Peer(parsing: text), let port = peer.port, let address = IPAddress(peer.host) else {
            return nil
        }
        self.init(address, port)
    }
}
