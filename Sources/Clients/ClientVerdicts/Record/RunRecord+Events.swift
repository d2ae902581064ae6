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

    /// Limits the record of a longer run to the part between `begin` and `end`.
    package mutating func limit(to begin: Instant, _ end: Instant) {
        beginsLater = beginsLater || begin > self.begin
        (self.begin, self.end, isPart) = (begin, end, true)
        // A part need not have the events of the run's end.
        isComplete = true
        labels.removeAll { $0.begin < begin || $0.begin > end }
        closeLabels()
    }

    /// Limits the record to what was seen before `known` of a run that continues.
    package mutating func goOn(after known: Instant, _ traffic: ObservedTraffic) {
        limit(to: begin, known)
        goesOn = true
        // Assumes that each accepted connection stays open, unless a packet or a scan of the sockets shows its end.
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
        case .off(let client): changes.append(Change(time, Profile.unconditioned.name, by: client))
        case .on(let profile, let client):
            changes.append(Change(time, profile ?? Profile.unconditioned.name, by: client))
        case .missed(let label, let trigger): missedSteps[label] = trigger ?? "its turn"
        // A failed step leaves the conditions unchanged.
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
        case .forwarder(_, .continued): break
        case .forwarder(let role, let state): lostForwarders.append(LostForwarder(time: time, role: role, state: state))
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

    /// Sets each label's end: the start of the next label of the same kind, or the end of the run.
    fileprivate mutating func closeLabels() {
        // A step's time is from before its conditions took effect, and a mark may have been recorded meanwhile.
        labels.sort { $0.begin < $1.begin }
        var next: [Label.Kind: Instant] = [:]
        for index in labels.indices.reversed() {
            labels[index].end = next[labels[index].kind] ?? max(end, labels[index].begin)
            next[labels[index].kind] = labels[index].begin
        }
    }
}

/// Reads the events of a run, one JSON object a line, from successive pieces of the text. Lines that are cut or not
/// understood are skipped: the process that wrote them may have been killed.
package struct RunRecordReader {
    private var record: RunRecord
    /// The bytes after the last whole line.
    private var rest: [UInt8] = []
    /// Whether the event of the command's end has been read.
    private var hasEnded = false

    /// Makes a reader at the start of the text.
    ///
    /// - Parameters:
    ///   - started: the time of the command's start, if no event has it.
    ///   - ended: the time of the command's end, if no event has it.
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

    /// Returns the record of all that was read.
    package consuming func finish() -> RunRecord {
        add(rest)
        record.closeLabels()
        return record
    }

    /// The record so far, as if the run had ended with `outcome`, and at `ended` unless an event has the end. The
    /// reader can read further.
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
