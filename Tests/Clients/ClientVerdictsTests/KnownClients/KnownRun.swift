// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import InternetAddresses
import LinkProfiles
import TestKit

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import PacketCapture
@testable import PacketPump
@testable import TestPackets

/// A run of a client whose deeds are known, on a simulated link, with the capture and the record that it leaves.
final class KnownRun {
    /// What of the run is hidden from the judge.
    enum Hidden: CaseIterable { case nothing, endOfCapture, packets, sockets, events }

    struct Label {
        var name: String
        var isStep: Bool
        var begin: Int64
        var end: Int64
    }

    let plan: KnownPlan
    let client: KnownClient
    let network: SimulatedNetwork
    let begin = Int64.ms(5_000)
    private(set) var labels: [Label] = []
    private(set) var judge: ClientJudge
    /// From the simulated clock to that of the capture.
    private(set) var origin: Int64
    /// Packets that the capture says are missing, and whether it ends where it should.
    private let missing: Int, isWhole: Bool

    var end: Int64 { begin + plan.length }

    init(_ plan: KnownPlan) throws {
        self.plan = plan
        // A ring that is too small for all packets loses some, and says so.
        let capacity = plan.hidden == .packets ? 1 << 13 : 1 << 22
        guard let recorder = PacketRecorder(capacity: capacity) else { throw TestFailure("no ring") }
        let clock = SimulatedClock(at: begin)
        let link = SimulatedLink(recorder, seed: plan.seed)
        network = SimulatedNetwork(clock, link, plan.services, seed: plan.seed &+ 1)
        let file = try UnnamedFile()
        var writer = RecordWriter(CaptureOutput(descriptor: file.descriptor), nil)
        writer.devices = [RecordedDevice(recorder, "lo", [], snapLength: nil)]
        origin = writer.completeUntil(0)
        var events = KnownEvents(origin: origin, plan.sampling)

        let begin = begin
        link.apply(plan.steps[0].profile, at: begin)
        events.add(.begin, at: begin)
        events.add(.sampling(every: .nanoseconds(plan.sampling)), at: begin)
        var moments: [Label] = []
        for step in plan.steps.dropFirst() {
            moments.append(Label(name: step.label, isStep: true, begin: begin + step.at, end: 0))
            clock.at(begin + step.at) { link.apply(step.profile, at: clock.now) }
        }
        for mark in plan.marks {
            moments.append(Label(name: mark.name, isStep: false, begin: begin + mark.at, end: 0))
        }
        moments.sort { $0.begin < $1.begin }
        for index in moments.indices {
            let isStep = moments[index].isStep
            moments[index].end = moments[(index + 1)...].first { $0.isStep == isStep }?.begin ?? begin + plan.length
        }
        labels = moments
        client = KnownClient(network, plan.jobs)
        let (client, network, length) = (client, network, plan.length)
        for query in plan.queries {
            clock.at(begin + query.at) { network.ask(query.name, query.identifier, port: query.port) }
        }
        if let cancelled = plan.cancelled { clock.at(begin + cancelled) { client.cancel() } }
        // A command ends just before its supervisor notices.
        clock.at(begin + length - 200_000) { client.end() }
        var marks = moments[...]
        var look = begin + plan.phase
        var written = begin
        let stop = begin + length + plan.rest
        while true {
            let next = min(clock.next ?? .max, link.next ?? .max, look, marks.first?.begin ?? .max, stop)
            if next == stop { break }
            clock.advance(to: next)
            if let mark = marks.first, mark.begin <= next {
                events.add(mark.isStep ? .step(mark.name, profile: nil) : .mark(mark.name), at: mark.begin)
                marks.removeFirst()
            } else if look <= next {
                if look < begin + length { events.look(at: client.connections, now: look) }
                look += plan.sampling
            } else if link.next ?? .max <= next {
                link.advance(to: next)
            } else {
                clock.runNext()
            }
            // While it runs, as the program does.
            if plan.hidden != .packets, clock.now - written > .ms(500) {
                written = clock.now
                writer.write(until: clock.now)
            }
        }
        clock.stop()
        link.stop(at: stop)
        writer.write(until: Int64.max)
        _ = writer.finish()
        events.finish(client.connections, at: begin + length, hiding: plan.hidden)

        var bytes = file.bytes()
        // The writer was killed.
        if plan.hidden == .endOfCapture { bytes = Array(bytes.prefix(bytes.count * plan.cut / 100)) }
        var (reader, capture) = (TrafficReader(), CaptureReader())
        capture.append(bytes)
        while let record = try capture.next() { reader.add(record) }
        let traffic = reader.read()
        let ended = Instant(nanoseconds: origin + begin + length)
        var records = RunRecordReader(
            started: Instant(nanoseconds: origin + begin),
            ended: ended,
            outcome: plan.outcome
        )
        records.append(events.text[...])
        var record = records.record(ended: ended, outcome: plan.outcome)
        if !traffic.link.isClosed { record.shortfall = record.shortfall ?? .recordingEnded }
        (missing, isWhole) = (traffic.link.missing, traffic.link.isClosed)
        judge = ClientJudge(JudgedTraffic(traffic, of: record), record)
    }

    /// Whether something was hidden, or damaged by the link, so that there may be doubt.
    var isUnclear: Bool { plan.hidden != .nothing || network.link.damagedBytes > 0 }

    /// Whether what an expectation rests on was hidden: then nothing passes.
    func hides(_ kind: ClientExpectation.Kind) -> Bool {
        switch kind {
        case .completes, .exits: return false
        case .leavesNoConnectionOpen: return !isWhole || plan.hidden == .events || plan.hidden == .sockets
        case .timesOut, .closes, .atMost(_, .connections), .atMost(_, .connectionsAtATime):
            if plan.hidden == .sockets { return true }
        default: break
        }
        return missing > 0 || !isWhole || plan.hidden == .events
    }
}

/// What a supervisor writes of a run: its labels, and what it sees of the client's sockets from time to time.
struct KnownEvents {
    private let origin: Int64
    private let period: Int64
    private(set) var text: [UInt8] = []
    private var asking: [Int: Int64] = [:]
    private var closing: Set<Int> = []
    private var named: Set<Int> = []
    private var lastLook: Int64?

    init(origin: Int64, _ period: Int64) { (self.origin, self.period) = (origin, period) }

    mutating func add(_ kind: RunEvent.Kind, at time: Int64) { text += RunEvent(instant(time), kind).line }

    private func instant(_ time: Int64) -> Instant { Instant(nanoseconds: origin + time) }

    /// What /proc/net/tcp shows.
    mutating func look(at connections: [KnownConnection], now: Int64) {
        let last = lastLook ?? now
        for (index, connection) in connections.enumerated() {
            let (socket, ends) = (connection.socket, Self.ends(connection))
            if socket.isHeld, socket.state == .asking || socket.state == .established, named.insert(index).inserted {
                let process = Int32(100 + connection.process)
                add(.owner(ends, "client (\(process))", SocketHolder(process, below: [])), at: now)
            }
            if socket.isHeld, socket.state == .asking {
                asking[index] = now
            } else if let seen = asking.removeValue(forKey: index) {
                add(.asked(ends, last: instant(seen)), at: now)
            }
            if socket.isSendingEnd {
                if closing.insert(index).inserted { add(.closed(ends, last: instant(last)), at: now) }
            } else {
                closing.remove(index)
            }
        }
        lastLook = now
    }

    mutating func finish(_ connections: [KnownConnection], at now: Int64, hiding hidden: KnownRun.Hidden) {
        if hidden == .events { add(.cut, at: now) }
        add(.end, at: now)
        guard hidden != .sockets else { return }
        look(at: connections, now: now + 300_000)
        for connection in connections {
            let socket = connection.socket
            guard socket.isHeld, socket.state == .asking || socket.state == .established else { continue }
            add(.open(Self.ends(connection), owner: "client (\(100 + connection.process))"), at: now + 400_000)
        }
        add(.sampled, at: now + 500_000)
    }

    static func ends(_ connection: KnownConnection) -> SocketEnds {
        SocketEnds(
            Endpoint(address(TestPacket.client4), connection.ends.clientPort),
            Endpoint(address(connection.ends.host), connection.ends.serverPort)
        )
    }

    static func address(_ host: UInt8) -> IPAddress { address(TestPacket.server4.dropLast() + [host]) }

    private static func address(_ bytes: [UInt8]) -> IPAddress {
        guard let address = IPAddress(bytes: bytes) else { preconditionFailure("four bytes are an address") }
        return address
    }
}
