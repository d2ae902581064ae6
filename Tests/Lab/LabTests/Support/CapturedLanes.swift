// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit

/// Datagrams over the lanes of a sandbox: what their receivers counted, and what a capture says.
struct CapturedLanes {
    private struct Counts: Decodable {
        let sent: Int
        let served: Int
        let answered: Int
        /// What the outermost qdiscs have dropped, by the letter of the lane.
        let drops: [String: Int]
    }

    private let counts: Counts
    /// The datagrams that the client sent.
    var sent: Int { counts.sent }
    /// The datagrams that arrived at the server, and at the client.
    var served: Int { counts.served }
    var answered: Int { counts.answered }
    /// The packets in the order of the file.
    let packets: [LanePacket]
    /// The notes of the run.
    let notes: String
    /// What tshark says of the file besides its packets.
    let complaints: String

    /// What the kernel has dropped in the present lanes of a kind.
    func drops(_ lane: String) -> Int { counts.drops[String(lane.prefix(1))] ?? 0 }

    /// The packets of a lane.
    func packets(_ lane: String) -> [LanePacket] { packets.filter { $0.interface == "\(lane) of lo" } }

    /// Sends `count` datagrams with the profile of this text, or as many more as it takes to switch to others meanwhile.
    init(_ count: Int, by caller: Caller = .root, _ profile: String, switchingTo others: [String] = []) throws {
        let folder = try TemporaryDirectory()
        for (number, text) in ([profile] + others).enumerated() { try folder.write("\(number).json", text) }
        let paths = (0...others.count).map { "\(folder.path)/\($0).json" }
        if caller == .user { _ = try Shell.check("chmod 777 \(folder.path)") }
        let file = "\(folder.path)/packets.pcapng"
        let traffic = Script("lane-traffic.py").line(["\(count)", Shell.linkcond] + paths.dropFirst())
        let result = try caller.run("\(paths[0]) --engine netem --offline --capture \(file) -- \(traffic)")
        (counts, notes) = (try result.output.decoded(), result.errors)
        complaints = try Shell.check("tshark -r \(file) 2>&1 >/dev/null | grep -v 'Running as' || true")
        packets = try folder.lanePackets("packets.pcapng")
    }
}

/// A packet of a capture with the description of its interface.
struct LanePacket {
    let packet: CapturedPacket
    let interface: String?

    private var isIPv6: Bool { packet.bytes[12] == 0x86 }
    /// The port to which the datagram goes.
    var port: Int { Int(packet.bytes[isIPv6 ? 56 : 36]) << 8 | Int(packet.bytes[isIPv6 ? 57 : 37]) }
    /// The number at the begin of a datagram.
    var number: Int? { Int(String(decoding: packet.bytes.dropFirst(42).prefix(6), as: UTF8.self)) }
}

extension TemporaryDirectory {
    /// The records of a capture.
    func captureRecords(_ name: String) throws -> [CaptureRecord] {
        var reader = CaptureReader()
        reader.append(try bytes(name))
        var records: [CaptureRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    /// The packets of a capture.
    func lanePackets(_ name: String) throws -> [LanePacket] {
        var interfaces: [CapturedInterface] = []
        return try captureRecords(name).compactMap { record in
            if case .interface(let interface) = record { interfaces.append(interface) }
            guard case .packet(let packet) = record else { return nil }
            return LanePacket(packet: packet, interface: interfaces[packet.interface].description)
        }
    }
}
