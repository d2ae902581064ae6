// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import PacketPump

/// A TCP or UDP client that sends frames through a table.
private final class Conversation {
    private static let (fin, syn, rst, ack): (UInt8, UInt8, UInt8, UInt8) = (0x01, 0x02, 0x04, 0x10)
    private var table: FlowTable
    var client = (address: [127, 0, 0, 1] as [UInt8], port: 50_000, base: 0xFFFF_FFF0)
    var server = (address: [127, 0, 0, 1] as [UInt8], port: 8_000, base: 77_000)

    init(capacity: Int = 1_024) {
        guard let table = FlowTable(capacity: capacity, ephemeralPorts: 49_152...65_535) else {
            fatalError("no memory")
        }
        self.table = table
    }

    private func indices(_ frame: TestFrame, segments: Int = 1, segmentSize: Int = 0) -> [UInt64?] {
        frame.bytes.withUnsafeBytes { all in
            guard let start = all.baseAddress else { return [] }
            let layout = FrameLayout(all)
            let flow = table.classify(start, layout, segments: segments, segmentSize: segmentSize, now: 1_000)
            return (0..<segments).map { flow.position.index($0) }
        }
    }

    private func frame(up: Bool, isTCP: Bool = true, flags: UInt8 = 0, at offset: Int = 0, bytes: Int) -> TestFrame {
        let (from, to) = up ? (client, server) : (server, client)
        return TestFrame(
            isTCP: isTCP,
            source: from.address,
            destination: to.address,
            sourcePort: from.port,
            destinationPort: to.port,
            flags: flags,
            sequence: (from.base + offset) & 0xFFFF_FFFF,
            payload: TestFrame.pattern(bytes)
        )
    }

    func open() -> [UInt64?] {
        indices(frame(up: true, flags: Self.syn, bytes: 0))
            + indices(frame(up: false, flags: Self.syn | Self.ack, bytes: 0)) + acknowledge(1)
    }

    /// Bytes from an offset of the side's stream, of which a SYN has the first.
    func send(up: Bool = true, _ offset: Int, _ bytes: Int, segmentSize: Int? = nil) -> [UInt64?] {
        indices(
            frame(up: up, flags: Self.ack, at: offset, bytes: bytes),
            segments: segmentSize.map { (bytes + $0 - 1) / $0 } ?? 1,
            segmentSize: segmentSize ?? 0
        )
    }

    func acknowledge(up: Bool = true, _ offset: Int) -> [UInt64?] {
        var frame = frame(up: up, flags: Self.ack, at: 1, bytes: 0)
        frame.acknowledgement = ((up ? server : client).base + offset) & 0xFFFF_FFFF
        return indices(frame)
    }

    func close(_ offset: Int) -> [UInt64?] {
        indices(frame(up: true, flags: Self.ack | Self.fin, at: offset, bytes: 0))
    }
    func reset(up: Bool = true, at offset: Int = 0) -> [UInt64?] {
        indices(frame(up: up, flags: Self.rst, at: offset, bytes: 0))
    }
    func datagram(up: Bool = true, segments: Int = 1) -> [UInt64?] {
        indices(frame(up: up, isTCP: false, bytes: 10 * segments), segments: segments, segmentSize: 10)
    }
}

@Suite struct FlowPositionTests {
    /// A request and an answer, with what a busy machine adds.
    private func requests(_ talk: Conversation, disturbed: Bool = false) -> [UInt64?] {
        var first = talk.open()
        first += talk.send(1, 100)
        if disturbed {
            // A stall's repetition, and an acknowledgement that was not delayed long enough to come with the answer.
            _ = talk.send(1, 100)
            _ = talk.acknowledge(up: false, 101)
        }
        first += talk.send(up: false, 1, 3_000, segmentSize: 1_448)
        if disturbed { _ = talk.acknowledge(1_449) }
        first += talk.acknowledge(3_001)
        if disturbed { _ = talk.acknowledge(3_001) }
        first += talk.send(101, 100)
        first += talk.send(up: false, 3_001, 50)
        return first + talk.close(201)
    }

    @Test func numbersWhatIsSentFirstAlikeWhateverComesBetween() {
        let quiet = requests(Conversation())
        #expect(Set(quiet.map { $0 ?? 0 }).count == quiet.count && !quiet.contains(nil))
        // Other ports and initial sequence numbers, and what a stall adds.
        let busy = Conversation()
        busy.client = ([127, 0, 0, 1], 60_001, 5)
        busy.server.base = 0xFFFF_FFFF
        #expect(requests(busy, disturbed: true) == quiet)
        // What other flows send.
        let beside = Conversation()
        let (client, server) = (beside.client, beside.server)
        beside.server.port = 9_000
        _ = beside.open() + beside.send(1, 500)
        beside.client.port = 50_002
        _ = beside.open()
        (beside.client, beside.server) = (client, server)
        #expect(requests(beside) == quiet)
    }

    @Test func numbersSegmentsOfSuperPacketsAsIfTheyWereAlone() {
        let (whole, cut) = (Conversation(), Conversation())
        _ = (whole.open(), cut.open())
        let together = whole.send(1, 4_000, segmentSize: 1_448)
        let alone = [(1, 1_448), (1_449, 1_448), (2_897, 1_104)].flatMap { cut.send($0.0, $0.1) }
        #expect(together == alone)
        // The second of them was sent before.
        let again = whole.send(2_897, 2_896, segmentSize: 1_448)
        #expect(again[0] != together[2] && again[1] != nil)
        #expect(whole.datagram(segments: 3) + whole.datagram() == (0..<4).flatMap { _ in cut.datagram() })
    }

    @Test func givesEachRepetitionAnotherChance() {
        let talk = Conversation()
        let first = talk.open() + talk.send(1, 100) + talk.acknowledge(500)
        var all = Set(first)
        for _ in 0..<100 {
            all.formUnion(talk.send(1, 100) + talk.send(50, 30) + talk.acknowledge(500) + talk.reset(at: 1))
        }
        #expect(all.count == first.count + 400)
        #expect(!all.contains(nil))
    }

    @Test func countsFlowsWithTheSameEndsInTheOrderOfOpening() {
        let (one, other) = (Conversation(), Conversation())
        one.client.port = 60_000
        let first = one.open()
        #expect(other.open() == first)
        one.client.port = 60_002
        let second = one.open()
        // The same port again, with another initial sequence number.
        other.client.base = 12
        #expect(other.open() == second && second != first)
        // A SYN that is only sent again opens nothing.
        #expect(other.open() != second)
        #expect(other.send(1, 9) == one.send(1, 9))
        let elsewhere = Conversation()
        elsewhere.server.port = 443
        #expect(elsewhere.open() != first)
        let byAnother = Conversation()
        byAnother.client.address = [127, 0, 0, 2]
        #expect(byAnother.open() != first)
    }

    @Test func countsDatagramsByFlowAndDirection() {
        let (quiet, busy) = (Conversation(), Conversation())
        let up = (0..<5).flatMap { _ in quiet.datagram() }
        #expect(Set(up).count == 5)
        let between = (0..<5).flatMap { _ in
            _ = busy.datagram(up: false) + busy.datagram(up: false)
            return busy.datagram()
        }
        // Who sends the first datagram is the client.
        #expect(between != up)
        let second = Conversation()
        let answered = (0..<5).flatMap { _ in
            let query = second.datagram()
            _ = second.datagram(up: false) + second.datagram(up: false)
            return query
        }
        #expect(answered == up)
    }

    @Test func forgetsTheOldestOfManyFlows() {
        let talk = Conversation(capacity: 256)
        let server = talk.server
        let first = talk.datagram()
        talk.server.port = 7_000
        for number in 0..<100_000 {
            talk.client = ([127, 0, UInt8(number >> 10), 1], 1_024 + number & 0x7FFF, number)
            _ = talk.datagram()
        }
        (talk.client, talk.server) = (([127, 0, 0, 1], 50_000, 0), server)
        #expect(talk.datagram() == first)
    }

    /// Of sequence 2: a seed must decide the same in every version with it.
    @Test func neverChanges() {
        let talk = Conversation()
        let indices = talk.open() + talk.send(1, 100) + talk.send(1, 100) + talk.datagram() + talk.reset()
        #expect(RandomSequence.version == 2)
        #expect(indices.map { $0 ?? 0 } == Self.golden)
    }

    private static let golden: [UInt64] = [
        0xAF6B3F1C7D6874B4,
        0xDCB14A46D7D9B032,
        0x91748D48D837E9B0,
        0x123EEC1010EAE536,
        0x1A45A0DECA8910C0,
        0xAECE12D1FFC38091,
        0xA21DEFE2CE3449DF,
    ]
}
