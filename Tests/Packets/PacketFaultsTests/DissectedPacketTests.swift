// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

@testable import PacketFaults

/// The packets that faults make, as tshark reads them: with its own checksums.
@Suite struct DissectedPacketTests {
    private static let hasTshark = FileManager.default.isExecutableFile(atPath: "/usr/bin/tshark")

    /// What tshark says of packets: a line each, with tabs between the fields.
    private func dissect(_ packets: [[UInt8]], _ fields: [String]) throws -> [[String]] {
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/made.pcap"
        // pcap with LINKTYPE_RAW, little-endian.
        var bytes: [UInt8] = [
            0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 101, 0, 0, 0,
        ]
        for (index, packet) in packets.enumerated() {
            for number in [UInt32(index), 0, UInt32(packet.count), UInt32(packet.count)] {
                bytes += withUnsafeBytes(of: number.littleEndian) { Array($0) }
            }
            bytes += packet
        }
        try Data(bytes).write(to: URL(filePath: file))
        let checks = ["ip.check_checksum", "tcp.check_checksum", "udp.check_checksum"].flatMap { ["-o", "\($0):TRUE"] }
        let words = ["-r", file, "-T", "fields"] + checks + fields.flatMap { ["-e", $0] }
        let result = try Shell.check("tshark \(words.map(Shell.quoted).joined(separator: " ")) 2>/dev/null")
        return result.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Packets of every action, IPv4 and IPv6.
    private func made() throws -> [[UInt8]] {
        try FaultPropertyTests.actions.flatMap { action -> [[UInt8]] in
            try [false, true].flatMap { isIPv6 -> [[UInt8]] in
                let faults = try TestedFaults("{\"match\": {}, \"do\": \(action)}")
                let packets = [
                    WirePacket.opening { ($0.isIPv6, $0.server.port) = (isIPv6, 80) },
                    .data([1, 2, 3]) { ($0.isIPv6, $0.server.port) = (isIPv6, 80) },
                    .data([1, 2, 3]) { $0.isIPv6 = isIPv6 },
                    .data([4]) { ($0.isIPv6, $0.isFromServer) = (isIPv6, true) },
                    .query("api.test") { $0.isIPv6 = isIPv6 }, .query("api.test", type: 28) { $0.isIPv6 = isIPv6 },
                ]
                return packets.flatMap { faults.decide($0).made.filter { $0.delay == 0 }.map(\.bytes) }
            }
        }
    }

    @Test(.enabled("needs tshark") { hasTshark })
    func haveNoFaultOfTheirOwn() throws {
        let packets = try made()
        #expect(packets.count > 40)
        let fields = [
            "ip.checksum.status", "tcp.checksum.status", "udp.checksum.status", "icmp.checksum.status",
            "icmpv6.checksum.status", "_ws.malformed",
        ]
        let rows = try dissect(packets, fields)
        #expect(rows.count == packets.count)
        for (packet, row) in zip(packets, rows) {
            // 1 is good. In an error, the quoted packet's own follow.
            let states = row.prefix(5).flatMap { $0.split(separator: ",").prefix(1) }
            #expect(!states.isEmpty && states.allSatisfy { $0 == "1" || $0 == "Good" }, "\(row) \(packet)")
            #expect(row.count < 6 || row[5].isEmpty, "\(row) \(packet)")
        }
    }

    @Test(.enabled("needs tshark") { hasTshark })
    func areReadAsWhatTheyAre() throws {
        let faults = try TestedFaults(#"{"match": {"dns": "*"}, "do": {"answer": "192.0.2.9"}}"#)
        let answer = faults.decide(.query("api.test")).made.map(\.bytes)
        #expect(
            try dissect(answer, ["dns.qry.name", "dns.flags.rcode", "dns.a", "dns.id"])
                == [["api.test", "0", "192.0.2.9", "0xabcd"]]
        )
        let portal = try TestedFaults(#"{"match": {}, "do": {"portal": "http://portal.test/"}}"#)
        let opening = portal.decide(.opening { $0.server.port = 80 }).made.map(\.bytes)
        let request = WirePacket.data(Array("GET / HTTP/1.1\r\n\r\n".utf8)) { $0.server.port = 80 }
        let packets = opening + portal.decide(request).made.map(\.bytes)
        let rows = try dissect(packets, ["tcp.flags", "tcp.hdr_len", "http.response.code", "http.location"])
        #expect(rows[0].prefix(2) == ["0x0012", "24"])
        #expect(rows[1] == ["0x0019", "20", "302", "http://portal.test/"])
    }
}
