// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
internal import LinkProfiles

extension RunRecord {
    /// Reads the events of a run as `RunRecordReader` does.
    package init(events text: [UInt8], started: Instant, ended: Instant, outcome: CommandEnd) {
        var reader = RunRecordReader(started: started, ended: ended, outcome: outcome)
        reader.append(text[...])
        self = reader.finish()
    }

    /// Leaves of a longer run only what belongs to the time between `begin` and `end`.
    package mutating func limit(to begin: Instant, _ end: Instant) {
        beginsLater = beginsLater || begin > self.begin
        (self.begin, self.end, isPart) = (begin, end, true)
        // The events of the end of the run are still to come.
        isComplete = true
        labels.removeAll { $0.begin < begin || $0.begin > end }
        closeLabels()
    }

    /// Makes it that of a run that goes on, of which all is known that was seen before `known`.
    package mutating func goOn(after known: Instant, _ traffic: ObservedTraffic) {
        limit(to: begin, known)
        goesOn = true
        // The final state, unless a packet or a look at the sockets says otherwise.
        openAtEnd = traffic.connections.filter { $0.carrier == .tcp && $0.accepted != nil && !$0.mayHaveEnded }
            .map { OpenSocket(SocketEnds(of: $0)) }
    }

    fileprivate mutating func add(_ event: RunEvent) {
        let time = event.time
        switch event.kind {
        case .begin: begin = time
        case .end: end = time
        case .step(let name, let profile, let changes):
            labels.append(Label(name, .step, from: time, to: end, profile: profile, changes: changes))
        case .mark(let name): labels.append(Label(name, .mark, from: time, to: end))
        case .conditions(let profile, let client): changes.append(Change(time, profile, by: client))
        case .missed(let label, let trigger): missedSteps[label] = trigger ?? "its turn"
        // The conditions stay as they were.
        case .failed: break
        case .observing(let since): observedSince = since
        case .sampling(let period): samplingPeriod = period
        case .asked(let socket, let last):
            socketChanges.append(SocketChange(.asked, of: socket, last: last, gone: time))
        case .closed(let socket, let last):
            socketChanges.append(SocketChange(.closed, of: socket, last: last, gone: time))
        case .removed(let socket, let last):
            socketChanges.append(SocketChange(.removed, of: socket, last: last, gone: time))
        case .open(let socket, let owner): openAtEnd.append(OpenSocket(socket, owner: owner))
        case .older(let socket, let owner): olderSockets.append(OpenSocket(socket, owner: owner))
        case .sampled: isComplete = true
        case .cut: shortfall = .eventsMissing
        case .carrier(_, .continued): break
        case .carrier(let role, let state): lostCarriers.append(LostCarrier(time: time, role: role, state: state))
        case .part(let part): parts.append(part)
        case .recorded(let digest): capture = digest
        case .judged(let test): add(test)
        case .owner(let socket, let name, let holder):
            owners.append(Owner(time: time, socket: socket, name: name, holder: holder))
        case .probe(let socket): probes.append(Probe(time: time, socket: socket))
        case .monitor(let verdict): monitorVerdicts.append(verdict)
        case .timeOfDaySet(let change): clockChanges.append(ClockChange(time, by: change))
        case .busy(let from, let waited): stalls.append(Stall(from: from, to: time, waited: waited))
        }
    }

    /// A label lasts until the next of its kind, or to the end of the run.
    fileprivate mutating func closeLabels() {
        // The time of conditions is that before they took effect, and a mark may have been set meanwhile.
        labels.sort { $0.begin < $1.begin }
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
    /// The bytes after the last whole line.
    private var rest: [UInt8] = []
    /// Whether an event has told the end.
    private var hasEnded = false

    /// Reads nothing yet.
    ///
    /// - Parameters:
    ///   - started: the time at which the command was to start, if no event tells.
    ///   - ended: the same for its end.
    package init(started: Instant, ended: Instant, outcome: CommandEnd) {
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

    /// The same, of a run that ended so, at this time unless an event tells. The reader can read further.
    package func record(ended: Instant, outcome: CommandEnd) -> RunRecord {
        var reader = self
        if !hasEnded { reader.record.end = ended }
        reader.record.outcome = outcome
        return reader.finish()
    }

    private mutating func add(_ line: [UInt8]) {
        guard !line.isEmpty, let json = try? JSON(utf8: line) else { return }
        do {
            let event = try RunEvent(parsing: json)
            if case .end = event.kind { hasEnded = true }
            record.add(event)
        } catch {
            if case .unknown(let name) = error { record.unknownEvents.insert(name) }
        }
    }
}
