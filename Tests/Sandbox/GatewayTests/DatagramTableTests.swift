// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

/// The sockets of clients' datagrams, with times in nanoseconds.
@Suite struct DatagramTableTests {
    private static let server = FlowEndpoint(ipv4: 0xC000_0201, port: 53)
    private static let header = DatagramHeader(hopLimit: 64, trafficClass: 0, mayBeCut: false)

    private func client(_ number: Int, isEcho: Bool = false) -> DatagramTable.Client {
        .init(end: FlowEndpoint(ipv4: 1 + UInt32(number >> 16), port: UInt16(number & 0xFFFF)), isEcho: isEcho)
    }

    @Test func giveAClientOneSocketWhoeverItSendsTo() {
        var table = DatagramTable()
        let first = table.flow(of: client(1), now: 0)
        let second = table.flow(of: client(1), now: 1)
        #expect(first.isNew && !second.isNew && first.number == second.number)
        // An identifier of echo is no port.
        #expect(table.flow(of: client(1, isEcho: true), now: 2).isNew)
    }

    @Test func keepWhatWaitsForASocketInOrder() {
        var table = DatagramTable()
        let (number, _) = table.flow(of: client(1), now: 0)
        for byte in 0..<300 {
            table.wait(.init(payload: [UInt8(byte & 0xFF)], destination: Self.server, header: Self.header), for: number)
        }
        let waiting = table.open(number, 9)
        #expect(waiting?.map(\.payload) == (0..<300).map { [UInt8($0 & 0xFF)] })
        #expect(table.open(number, 9) == nil)
    }

    @Test func boundWhatWaits() {
        var table = DatagramTable()
        let numbers = (0..<100).map { table.flow(of: client($0), now: 0).number }
        for number in numbers {
            for _ in 0..<100 {
                table.wait(.init(payload: [1], destination: Self.server, header: Self.header), for: number)
            }
        }
        #expect(numbers.reduce(0) { $0 + (table.flows[$1]?.waiting.count ?? 0) } == 4096)
        // There is room again when a flow ends, or has its socket.
        _ = table.remove(numbers[0])
        _ = table.open(numbers[1], 9)
        table.wait(.init(payload: [1], destination: Self.server, header: Self.header), for: numbers[99])
        #expect(table.flows[numbers[99]]?.waiting.count == 1)
    }

    @Test func endTheOneThatWasNotUsedForLongest() {
        var table = DatagramTable()
        for number in 0...4096 { _ = table.flow(of: client(number), now: Int64(number)) }
        _ = table.flow(of: client(0), now: 10_000)
        #expect(table.oldestIfFull.flatMap { table.flows[$0]?.client } == client(1))
        table.oldestIfFull.map { _ = table.remove($0) }
        #expect(table.oldestIfFull == nil && table.flow(of: client(1), now: 10_001).isNew)
    }
}
