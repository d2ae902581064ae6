// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketPump

/// Classifies frames with a table, as the pump does.
private final class Table {
    var table: FlowTable
    var now: UInt32 = 1_000

    init(capacity: Int = 1_024, ephemeralPorts: ClosedRange<UInt16> = 57_344...65_535) {
        guard let table = FlowTable(capacity: capacity, ephemeralPorts: ephemeralPorts) else { fatalError("no memory") }
        self.table = table
    }

    func isUplink(_ bytes: [UInt8]) -> Bool { ask(bytes).fromOpener }

    func ask(_ bytes: [UInt8]) -> (fromOpener: Bool, isQuery: Bool) {
        bytes.withUnsafeBytes { all in
            guard let start = all.baseAddress else { return (false, false) }
            let flow = table.classify(start, FrameLayout(all), now: now)
            return (flow.fromOpener, flow.isQuery)
        }
    }
}

private let syn: UInt8 = 0x02
private let synAck: UInt8 = 0x12
private let ack: UInt8 = 0x10

private func tcp(_ from: Int, _ to: Int, _ flags: UInt8, isIPv6: Bool = false) -> [UInt8] {
    TestFrame(
        isIPv6: isIPv6,
        source: address(from),
        destination: address(to),
        sourcePort: from,
        destinationPort: to,
        flags: flags
    )
    .bytes
}

private func udp(_ from: Int, _ to: Int, isIPv6: Bool = false) -> [UInt8] {
    TestFrame(
        isIPv6: isIPv6,
        isTCP: false,
        source: address(from),
        destination: address(to),
        sourcePort: from,
        destinationPort: to
    )
    .bytes
}

/// Loopback addresses that depend on the port, so that either order of the ends occurs.
private func address(_ port: Int) -> [UInt8] { [127, 0, 0, UInt8(port % 250)] }

private func icmp(_ type: UInt8, quoting quoted: [UInt8]? = nil) -> [UInt8] {
    var bytes = TestFrame(isTCP: false, payload: quoted.map { Array($0.dropFirst(14)) } ?? [1, 2, 3, 4]).bytes
    bytes[23] = 1
    bytes[34] = type
    return bytes
}

@Suite struct FlowTableTests {
    @Test(arguments: [(40_000, 80), (80, 40_000), (60_000, 60_001), (7, 9), (9, 7)], [false, true])
    func givesTCPToWhoeverSentTheSYN(ports: (Int, Int), isIPv6: Bool) {
        let table = Table()
        let (client, server) = ports
        for _ in 0..<2 {
            #expect(table.isUplink(tcp(client, server, syn, isIPv6: isIPv6)))
            #expect(!table.isUplink(tcp(server, client, synAck, isIPv6: isIPv6)))
            #expect(table.isUplink(tcp(client, server, ack, isIPv6: isIPv6)))
            #expect(!table.isUplink(tcp(server, client, ack, isIPv6: isIPv6)))
        }
        // The same ports, opened by the other end.
        #expect(table.isUplink(tcp(server, client, syn, isIPv6: isIPv6)))
        #expect(!table.isUplink(tcp(client, server, synAck, isIPv6: isIPv6)))
    }

    @Test func keepsTheFirstOpenerWhereBothOpenAtOnce() {
        let table = Table()
        #expect(table.isUplink(tcp(100, 200, syn)))
        #expect(!table.isUplink(tcp(200, 100, syn)))
        #expect(table.isUplink(tcp(100, 200, synAck)))
        #expect(!table.isUplink(tcp(200, 100, synAck)))
        #expect(table.isUplink(tcp(100, 200, ack)))
    }

    @Test func takesAnAnswerToASYNThatItHasNotSeen() {
        let table = Table()
        #expect(!table.isUplink(tcp(80, 40_000, synAck)))
        #expect(table.isUplink(tcp(40_000, 80, ack)))
    }

    @Test func tellsOldConnectionsByTheirPorts() {
        let table = Table()
        #expect(table.isUplink(tcp(57_344, 80, ack)))
        #expect(!table.isUplink(tcp(80, 57_346, ack)), "the ephemeral end opened it")
        #expect(!table.isUplink(tcp(57_345, 57_348, ack)), "of two ephemeral ports the even one did")
        #expect(table.isUplink(tcp(57_350, 57_349, ack)))
        #expect(table.isUplink(tcp(7, 9, ack)), "else the sender of the first packet seen")
        #expect(!table.isUplink(tcp(9, 7, ack)))
    }

    @Test func givesUDPToWhoeverSentFirst() {
        let table = Table()
        #expect(table.isUplink(udp(53, 40_000)))
        #expect(!table.isUplink(udp(40_000, 53)))
        #expect(table.isUplink(udp(40_000, 54)))
        #expect(!table.isUplink(udp(54, 40_000)))
    }

    @Test func forgetsSilentFlows() {
        let table = Table()
        #expect(table.isUplink(udp(1, 2)))
        table.now += FlowTable.otherSilence
        #expect(!table.isUplink(udp(2, 1)), "just not silent for too long")
        table.now += FlowTable.otherSilence + 1
        #expect(table.isUplink(udp(2, 1)))
        #expect(table.isUplink(tcp(9, 8, syn)))
        table.now += FlowTable.tcpSilence
        #expect(!table.isUplink(tcp(8, 9, ack)))
    }

    @Test func toldByTypeOfMessage() {
        let table = Table()
        #expect(table.isUplink(icmp(8)))
        #expect(!table.isUplink(icmp(0)))
        #expect(table.isUplink(icmp(13)) && !table.isUplink(icmp(14)))
    }

    @Test func sendsErrorsAgainstThePacketThatTheyQuote() {
        let table = Table()
        #expect(table.isUplink(udp(5, 6)))
        #expect(!table.isUplink(icmp(3, quoting: udp(5, 6))))
        #expect(table.isUplink(icmp(3, quoting: udp(6, 5))))
        #expect(!table.isUplink(icmp(11, quoting: udp(700, 800))), "a packet it has not seen counts as the opener's")
        #expect(!table.isUplink(icmp(3, quoting: icmp(8))))
        #expect(table.isUplink(icmp(3, quoting: icmp(0))))
    }

    @Test func sendsFragmentsWithTheFirstOfTheirPacket() {
        let table = Table()
        #expect(table.isUplink(udp(40_000, 53)))
        func fragment(_ from: Int, _ to: Int, _ offset: UInt8) -> [UInt8] {
            var bytes = udp(from, to)
            bytes[20] = offset == 0 ? 0x20 : 0
            bytes[21] = offset
            return bytes
        }
        let first = table.ask(fragment(40_000, 53, 0))
        #expect(first.fromOpener && first.isQuery)
        let later = table.ask(fragment(40_000, 53, 9))
        #expect(later.fromOpener && later.isQuery)
        #expect(!table.isUplink(fragment(53, 40_000, 0)))
        #expect(!table.isUplink(fragment(53, 40_000, 9)))
        table.now += FlowTable.fragmentSilence + 1
        #expect(table.isUplink(fragment(53, 40_000, 9)), "reassembly would have given up")
    }

    @Test func findsQueriesAndNotTheirAnswers() {
        let table = Table()
        #expect(table.ask(udp(40_000, 53)).isQuery)
        #expect(!table.ask(udp(53, 40_000)).isQuery)
        #expect(table.ask(tcp(40_002, 53, syn)).isQuery)
        #expect(!table.ask(udp(40_000, 853)).isQuery)
    }

    @Test func staysWithinItsSizeAndKeepsTheBusiest() {
        let table = Table(capacity: 64)
        #expect(table.isUplink(udp(1, 2)))
        for flow in 0..<10_000 {
            if flow % 8 == 0 { table.now += 1 }
            #expect(table.isUplink(udp(1_000 + flow % 50_000, 7)))
            #expect(!table.isUplink(udp(2, 1)), "what is in use stays")
        }
    }
}
