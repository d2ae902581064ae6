// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit

/// Datagrams over the lanes of a sandbox: what their receivers and the kernel counted, and what a capture says.
struct CapturedLanes {
    private struct Counts: Decodable {
        let sent: Int
        let served: Int
        let answered: Int
        /// What the outermost qdiscs have dropped, by the letter of the lane.
        let drops: [String: Int]
    }

    /// A packet of the capture.
    struct Packet {
        let number: Int?
        let fate: PacketFate
        let time: Int64
    }

    private let counts: Counts
    /// The datagrams that the client sent.
    var sent: Int { counts.sent }
    /// The datagrams that arrived at the server, and at the client.
    var served: Int { counts.served }
    var answered: Int { counts.answered }
    /// The packets of both lanes in the order of the file.
    let packets: [Packet]
    /// The packets outside them.
    let others: Int
    /// What tshark says of the file besides its packets.
    let complaints: String

    /// What the kernel has dropped in the present lanes of a kind.
    func drops(_ lane: String) -> Int { counts.drops[String(lane.prefix(1))] ?? 0 }

    /// The fates in a lane of this kind.
    func fates(_ lane: String, _ outcome: PacketFate.Outcome) -> [PacketFate] {
        packets.map(\.fate).filter { $0.lane == lane && $0.outcome == outcome }
    }

    /// The delays in a lane in milliseconds.
    func delays(_ lane: String) -> [Double] {
        fates(lane, .passed).compactMap { $0.delay.map { $0 / .milliseconds(1) } }
    }

    /// Sends `count` datagrams with the profile of this text, or as many more as it takes to switch to others meanwhile.
    init(_ count: Int, by caller: Caller = .root, _ profile: String, switchingTo others: [String] = []) throws {
        let folder = try TemporaryDirectory()
        for (number, text) in ([profile] + others).enumerated() { try folder.write("\(number).json", text) }
        let paths = (0...others.count).map { "\(folder.path)/\($0).json" }
        if caller == .user { _ = try Shell.check("chmod 777 \(folder.path)") }
        let file = "\(folder.path)/packets.pcapng"
        let traffic = Script("lane-traffic.py").line(["\(count)", Shell.linkcond] + paths.dropFirst())
        let output = try caller.check("\(paths[0]) --engine netem --offline --capture \(file) -- \(traffic)")
        counts = try output.decoded()
        complaints = try Shell.check("tshark -r \(file) 2>&1 >/dev/null | grep -v 'Running as' || true")
        var reader = CaptureReader()
        reader.append(try folder.bytes("packets.pcapng"))
        var (found, outside): ([Packet], Int) = ([], 0)
        while let record = try reader.next() {
            guard case .packet(let packet) = record else { continue }
            guard let fate = packet.comments.first.flatMap({ PacketFate(comment: $0) }) else {
                outside += 1
                continue
            }
            let digits = packet.bytes.dropFirst(42).prefix(6)
            found.append(Packet(number: Int(String(decoding: digits, as: UTF8.self)), fate: fate, time: packet.time))
        }
        (packets, self.others) = (found, outside)
    }
}
