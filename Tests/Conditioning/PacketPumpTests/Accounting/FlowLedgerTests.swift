// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import LinkProfiles
import Testing

@testable import PacketPump

/// Packets with known fates in, flows out.
struct FlowLedgerTests {
    private let ledger: FlowLedger

    init() throws { ledger = try #require(FlowLedger(capacity: 8)) }

    private func add(
        _ frame: TestFrame,
        _ lane: Lane = .uplink,
        _ fate: Fate = .passed,
        at time: Int64 = 0,
        delay: Int64 = 1_000,
        pieces: Int32 = 1,
        isCopy: Bool = false,
        keeping limit: Int = 128
    ) {
        let bytes = frame.bytes
        var packet = RecordedPacket(arrival: time, due: time + delay, pieces: pieces, kind: .packet, lane: lane)
        packet.fate = fate
        packet.isCopy = isCopy
        packet.length = UInt32(bytes.count)
        packet.counted = UInt32(bytes.count)
        if case .dropped = fate {} else { packet.departure = time + delay }
        bytes.prefix(limit).withUnsafeBytes { ledger.add(packet, $0) }
    }

    private func flow(_ index: Int = 0) throws -> FlowEntry { try #require(ledger.entries[index...].first) }

    /// The frame from the other end.
    private func reply(_ frame: TestFrame) -> TestFrame {
        var reply = frame
        (reply.source, reply.destination) = (frame.destination, frame.source)
        (reply.sourcePort, reply.destinationPort) = (frame.destinationPort, frame.sourcePort)
        return reply
    }

    @Test(arguments: [false, true]) func keepsBothDirectionsOfAFlowInOneEntry(isIPv6: Bool) throws {
        var frame = TestFrame(isIPv6: isIPv6, isTCP: false)
        frame.payload = TestFrame.pattern(1_000)
        add(frame, at: 5, delay: 7)
        add(frame, .dns, at: 6, delay: 9)
        add(reply(frame), .downlink, at: 8, delay: 11)
        let flow = try flow()
        #expect(ledger.entries.count == 1 && flow.number == 1 && flow.first == 5 && flow.last == 8)
        let bytes = UInt64(frame.bytes.count)
        #expect(flow.up.seenPackets == 2 && flow.up.seenBytes == 2 * bytes && flow.up.deliveredBytes == 2 * bytes)
        #expect(flow.down.seenPackets == 1 && flow.down.deliveredPackets == 1)
        #expect([.uplink, .downlink, .dns].map { flow[$0].nanoseconds } == [7, 11, 9])
        #expect(ledger.delays.map(\.packets) == [1, 1, 1])
        let ends = (flow.clientEnd, flow.peerEnd)
        #expect(ends.0?.port == 40_000 && ends.1?.port == 80)
        #expect(ends.0?.address.description == (isIPv6 ? "fd00::a00:1" : "10.0.0.1"))
        #expect(flow.transport == 17 && flow.state == .none && flow.opener == .uplink)
    }

    @Test func countsTheLossesOfAFlowByTheirCause() throws {
        let frame = TestFrame(isTCP: false)
        for reason in DropReason.plain { add(frame, .uplink, .dropped(reason)) }
        add(reply(frame), .downlink, .dropped(.fault(FaultMark(2, .lose))))
        let flow = try flow()
        #expect(flow.up.seenPackets == UInt64(DropReason.plain.count) && flow.up.deliveredPackets == 0)
        for reason in DropReason.plain { #expect(flow.drops(reason) == 1) }
        #expect(flow.drops(.fault(FaultMark(1, .reset))) == 1)
    }

    /// A copy is delivered, but no end has sent it.
    @Test func doesNotCountACopyAsSeen() throws {
        add(TestFrame())
        add(TestFrame(), .uplink, .duplicate, isCopy: true)
        let flow = try flow()
        #expect(flow.up.seenPackets == 1 && flow.up.deliveredPackets == 2 && flow.up.retransmissions == 0)
    }

    @Test func countsTheWirePacketsOfASuperPacket() throws {
        var frame = TestFrame(sequence: 1)
        frame.payload = TestFrame.pattern(14_480)
        add(frame, delay: 10, pieces: 10)
        // Three of its packets again.
        frame.payload = TestFrame.pattern(4_344)
        add(frame, delay: 10, pieces: 3)
        let flow = try flow()
        #expect(flow.up.seenPackets == 13 && flow.up.retransmissions == 3)
        #expect(flow[.uplink].packets == 13 && flow[.uplink].nanoseconds == 130)
    }

    @Test func followsAConnectionFromItsOpeningToItsEnd() throws {
        var frame = TestFrame(flags: 0x02, sequence: 100)
        add(frame)
        #expect(try flow().state == .opening && flow().opener == .uplink)
        add(frame)
        #expect(try flow().up.retransmissions == 1)
        frame.flags = 0x12
        add(reply(frame), .downlink)
        #expect(try flow().state == .open && flow().opener == .uplink)
        (frame.flags, frame.sequence, frame.payload) = (0x18, 101, [1, 2, 3])
        add(frame)
        #expect(try flow().state == .open)
        (frame.flags, frame.sequence, frame.payload) = (0x11, 104, [])
        add(frame)
        #expect(try flow().state == .closing)
        add(reply(frame), .downlink)
        #expect(try flow().state == .closed)
        #expect(try flow().up.retransmissions == 1 && flow().down.retransmissions == 0)
        // A new connection from the same port is another flow.
        (frame.flags, frame.sequence) = (0x02, 90_000)
        add(frame)
        #expect(try ledger.entries.count == 2 && flow(1).state == .opening && flow(1).number == 2)
        frame.flags = 0x14
        add(reply(frame), .downlink)
        #expect(try flow(0).state == .closed && flow(1).state == .reset)
    }

    /// A keep-alive repeats the last byte (RFC 9293, 3.8.4).
    @Test func takesNoKeepAliveForARetransmission() throws {
        var frame = TestFrame(sequence: 500)
        frame.payload = [1, 2, 3]
        add(frame)
        (frame.sequence, frame.payload) = (502, [0])
        add(frame)
        #expect(try flow().up.retransmissions == 0)
    }

    @Test func replacesTheFlowThatWasSilentLongest() throws {
        func add(_ port: Int) { self.add(TestFrame(isTCP: false, sourcePort: port)) }
        (1...8).forEach(add)
        add(1)
        add(9)
        #expect(ledger.replaced == 1 && ledger.entries.count == 8)
        #expect(Set(ledger.entries.map { $0.clientEnd?.port }) == [1, 9, 3, 4, 5, 6, 7, 8])
        add(2)
        #expect(Set(ledger.entries.map { $0.clientEnd?.port }) == [1, 9, 2, 4, 5, 6, 7, 8])
        #expect(ledger.entries.map(\.up.seenPackets).sorted() == [1, 1, 1, 1, 1, 1, 1, 2])
    }

    @Test func readsHeadersOfWhichTheRestWasNotKept() throws {
        var frame = TestFrame(sequence: 1)
        frame.payload = [UInt8](repeating: 0xFF, count: 1_400)
        add(frame, keeping: 1_500)
        frame.sequence = 1_401
        add(frame, keeping: 80)
        #expect(try flow().up.seenPackets == 2 && ledger.entries.count == 1 && flow().up.retransmissions == 0)
        (frame.sequence, frame.payload) = (2_001, [UInt8](repeating: 1, count: 800))
        add(frame, keeping: 80)
        #expect(try flow().up.retransmissions == 1)
    }

    @Test func ignoresWhatIsNoPacket() {
        let junk: [UInt8] = Array(repeating: 0xAB, count: 60)
        junk.withUnsafeBytes {
            ledger.add(RecordedPacket(arrival: 0, due: 0, kind: .packet), $0)
            ledger.add(RecordedPacket(.arrival, at: 0, number: 1, pieces: 1), $0)
        }
        ledger.add(RecordedPacket(arrival: 0, due: 0, kind: .packet), UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(ledger.entries.isEmpty)
    }

    @Test func readsTheNamesInAnAnswer() throws {
        var frame = TestFrame(isTCP: false, sourcePort: 53)
        // One question and one answer, of type A and class IN.
        frame.payload = [0, 1, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + [3] + Array("api".utf8) + [4] + Array("test".utf8)
        frame.payload += [0, 0, 1, 0, 1, 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]
        add(frame, .downlink, .dropped(.randomLoss))
        #expect(ledger.newNames.isEmpty)
        add(frame, .downlink)
        add(frame, .downlink)
        #expect(ledger.newNames.map { "\($0.address) \($0.name)" } == ["192.0.2.1 api.test"])
        let page = try #require(FlowPage())
        page.publish(ledger, at: 0)
        let read = try #require(FlowPage(descriptor: page.descriptor)).names(from: 0)
        #expect(read.names.map { "\($0.address) \($0.name)" } == ["192.0.2.1 api.test"] && read.next == 1)
    }

    @Test func writesWhatHasChangedToThePage() throws {
        let page = try #require(FlowPage())
        let reader = try #require(FlowPage(descriptor: page.descriptor))
        #expect(reader.isSame(as: page) && reader.flows().isEmpty)
        for port in 1...3 { add(TestFrame(sourcePort: port)) }
        page.publish(ledger, at: 1)
        add(TestFrame(sourcePort: 2), .uplink, .dropped(.queueFull))
        #expect(ledger.changed == [1])
        page.publish(ledger, at: 2)
        #expect(ledger.changed.isEmpty)
        let flows = reader.flows()
        #expect(flows.map { $0.clientEnd?.port } == [1, 2, 3] && flows.map(\.up.seenPackets) == [1, 2, 1])
        #expect(flows[1].drops(.queueFull) == 1 && flows[1].up.retransmissions == 0)
        #expect(reader.delays(of: .uplink) == FlowEntry.Delays(packets: 3, nanoseconds: 3_000))
    }
}
