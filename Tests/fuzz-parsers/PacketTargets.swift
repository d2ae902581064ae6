// SPDX-License-Identifier: Apache-2.0

import DecryptedStreams

@testable import CapturedPackets
@testable import ClientTraffic
@testable import ClientVerdicts
@testable import Probing

extension FuzzTarget {
    static let capture = FuzzTarget("capture", seeds: [sample]) { bytes in
        let whole = records(of: [bytes[...]])
        require(records(of: pieces(of: bytes)) == whole, "pieces give other records")
        var reader = TrafficReader(decoders: CaptureDecoders())
        var size = 0
        for record in whole {
            if case .packet(let packet) = record { size += packet.bytes.count }
            reader.add(record)
        }
        require(size <= bytes.count, "packets of \(size) bytes")
        let traffic = reader.read()
        for connection in traffic.connections { _ = Backoff(fitting: connection.attempts.map(\.sent)) }
        judge(traffic)
    }

    private static func records(of pieces: [ArraySlice<UInt8>]) -> [CaptureRecord] {
        var reader = CaptureReader()
        var records: [CaptureRecord] = []
        for piece in pieces {
            reader.append(piece)
            do {
                while let record = try reader.next() { records.append(record) }
            } catch {
                break
            }
        }
        return records
    }

    /// A capture with a record of each kind, and the packets of a connection.
    private static var sample: [UInt8] {
        var encoder = PcapngEncoder(application: "linkcond", system: "Linux", comments: ["Slow Net"])
        let interface = encoder.add(CapturedInterface("lo", .raw))
        let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let packets: [(flags: UInt8, payload: [UInt8])] = [(2, []), (16, []), (24, request), (17, [])]
        for (index, part) in packets.enumerated() {
            let length = 40 + part.payload.count
            let header: [UInt8] =
                [0x45, 0, 0, UInt8(length), 0, 0, 0x40, 0, 64, 6, 0, 0, 127, 0, 0, 1, 127, 0, 0, 2]
                + [0x9C, 0x40, 0, 80, 0, 0, 0, UInt8(index), 0, 0, 0, 1, 0x50, part.flags, 1, 0, 0, 0, 0, 0]
            var packet = CapturedPacket(
                interface: interface,
                time: Int64(index) * 1_000_000,
                bytes: header + part.payload
            )
            packet.comments = ["lane=uplink fate=passed due=20.000000ms delay=20.100000ms"]
            encoder.add(packet)
        }
        encoder.add(names: [([127, 0, 0, 2], ["a.test"])])
        encoder.add(tlsKeys: Array("CLIENT_RANDOM 00 11\n".utf8))
        var statistics = CaptureStatistics(begin: 0, end: 4_000_000)
        (statistics.received, statistics.dropped) = (5, 1)
        encoder.add(statistics, of: interface)
        return encoder.bytes
    }

    static let dns = FuzzTarget("dns", seeds: [answer([address]), answer([alias, address]), answer([])]) { bytes in
        _ = DNSMessage(bytes)
        var zeros = Zeros()
        guard let query = DNSQuery(DNSQuestion("ok.test", .a), using: &zeros),
            case .answer(let answer) = DNSAnswer.read(bytes, to: query)
        else { return }
        require(answer.addresses.count <= bytes.count / 16, "\(answer.addresses.count) addresses")
    }

    private struct Zeros: RandomNumberGenerator {
        func next() -> UInt64 { 0 }
    }

    private static let address: [UInt8] = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4, 192, 0, 2, 1]
    private static let alias: [UInt8] = [0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 7, 0, 4, 1, 0x78, 0xC0, 15]

    /// An answer to the question for the address of "ok.test".
    private static func answer(_ records: [[UInt8]]) -> [UInt8] {
        [0, 0, 0x81, 0x80, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0, 2, 0x6F, 0x6B, 4, 0x74, 0x65, 0x73, 0x74, 0]
            + [0, 1, 0, 1] + records.joined()
    }
}
