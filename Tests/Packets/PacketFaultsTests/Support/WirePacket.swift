// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import LinkProfiles

@testable import PacketFaults

/// RFC 1071, word by word: 0 for bytes with a correct checksum.
func naiveChecksum(_ bytes: [UInt8]) -> UInt16 {
    var sum = 0
    for index in stride(from: 0, to: bytes.count, by: 2) {
        sum += Int(bytes[index]) << 8 | (index + 1 < bytes.count ? Int(bytes[index + 1]) : 0)
        if sum > 0xFFFF { sum -= 0xFFFF }
    }
    return ~UInt16(sum)
}

func big(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// A packet of IP written by hand, field by field of the RFCs, to test with.
struct WirePacket {
    enum Kind { case tcp, udp, icmp }

    var kind = Kind.tcp
    var isIPv6 = false
    /// Of the client; the server has ends of its own. A packet of the downlink has them the other way round.
    var client: (address: Int, port: Int) = (1, 40_000)
    var server: (address: Int, port: Int) = (2, 443)
    var isFromServer = false
    var flags: UInt8 = 0x18
    var sequence = 1_000
    var acknowledgment = 5_000
    var mayBeFragmented = false
    var payload: [UInt8] = []

    var direction: Direction { isFromServer ? .downlink : .uplink }

    private func address(_ number: Int) -> [UInt8] {
        isIPv6 ? [0xFD] + [UInt8](repeating: 0, count: 14) + [UInt8(number)] : [192, 0, 2, UInt8(number)]
    }

    var source: [UInt8] { address(isFromServer ? server.address : client.address) }
    var destination: [UInt8] { address(isFromServer ? client.address : server.address) }
    var ports: [UInt8] {
        let (from, to) = isFromServer ? (server.port, client.port) : (client.port, server.port)
        return big(from, 2) + big(to, 2)
    }

    private var body: [UInt8] {
        switch kind {
        case .tcp:
            ports + big(sequence, 4) + big(acknowledgment, 4) + [0x50, flags] + big(500, 2) + [0, 0, 0, 0] + payload
        case .udp: ports + big(8 + payload.count, 2) + [0, 0] + payload
        case .icmp: [isIPv6 ? 128 : 8, 0, 0, 0, 0, 7, 0, 1] + payload
        }
    }

    private var number: UInt8 {
        switch kind {
        case .tcp: 6
        case .udp: 17
        case .icmp: isIPv6 ? 58 : 1
        }
    }

    var bytes: [UInt8] {
        var body = body
        let offset = kind == .tcp ? 16 : kind == .udp ? 6 : 2
        let pseudo = source + destination + big(body.count, 4) + [0, 0, 0, number]
        let sum = naiveChecksum((kind == .icmp && !isIPv6 ? [] : pseudo) + body)
        body.replaceSubrange(offset..<offset + 2, with: big(Int(sum), 2))
        guard !isIPv6 else {
            return [0x60, 0, 0, 0] + big(body.count, 2) + [number, 64] + source + destination + body
        }
        var header = [0x45, 0] + big(20 + body.count, 2) + [0, 1, mayBeFragmented ? 0 : 0x40, 0, 64, number, 0, 0]
        header += source + destination
        header.replaceSubrange(10..<12, with: big(Int(naiveChecksum(header)), 2))
        return header + body
    }

    /// The SYN of a connection.
    static func opening(_ change: (inout WirePacket) -> Void = { _ in }) -> WirePacket {
        var packet = WirePacket(flags: 0x02, sequence: 999, acknowledgment: 0)
        change(&packet)
        return packet
    }

    /// The answer to a SYN.
    static func acceptance(_ change: (inout WirePacket) -> Void = { _ in }) -> WirePacket {
        var packet = WirePacket(isFromServer: true, flags: 0x12, sequence: 4_999, acknowledgment: 1_000)
        change(&packet)
        return packet
    }

    /// A segment with data from either end.
    static func data(_ payload: [UInt8], _ change: (inout WirePacket) -> Void = { _ in }) -> WirePacket {
        var packet = WirePacket(payload: payload)
        change(&packet)
        return packet
    }

    /// A DNS query for a name.
    static func query(_ name: String, type: Int = 1, _ change: (inout WirePacket) -> Void = { _ in }) -> WirePacket {
        var packet = WirePacket(kind: .udp, server: (2, 53), payload: dnsQuery(name, type: type))
        change(&packet)
        return packet
    }

    static func dnsQuery(_ name: String, type: Int = 1) -> [UInt8] {
        let labels = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + $0.utf8 }
        return [0xAB, 0xCD, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + labels + [0] + big(type, 2) + [0, 1]
    }

    /// The record of TLS with a ClientHello that asks for a name (RFC 8446, section 4.1.2; RFC 6066, section 3).
    static func clientHello(_ name: String) -> [UInt8] {
        let entry = [0] + big(name.utf8.count, 2) + Array(name.utf8)
        let list = big(entry.count, 2) + entry
        let extensions = big(0, 2) + big(list.count, 2) + list
        let random = [UInt8](repeating: 7, count: 32)
        let body = [3, 3] + random + [0] + big(2, 2) + [0x13, 1] + [1, 0] + big(extensions.count, 2) + extensions
        let handshake = [1] + big(body.count, 3) + body
        return [22, 3, 1] + big(handshake.count, 2) + handshake
    }
}

/// A packet of IP taken apart by hand.
struct ReadPacket: Equatable {
    var source: [UInt8]
    var destination: [UInt8]
    var transport: UInt8
    var body: [UInt8]
    /// Whether its checksums are right.
    var isSound: Bool

    init(_ bytes: [UInt8]) {
        let isIPv6 = bytes[0] >> 4 == 6
        let length = isIPv6 ? 40 : 20
        (source, destination) =
            isIPv6 ? (Array(bytes[8..<24]), Array(bytes[24..<40])) : (Array(bytes[12..<16]), Array(bytes[16..<20]))
        transport = bytes[isIPv6 ? 6 : 9]
        body = Array(bytes[length...])
        let told = Int(bytes[isIPv6 ? 4 : 2]) << 8 | Int(bytes[isIPv6 ? 5 : 3])
        let pseudo = source + destination + big(body.count, 4) + [0, 0, 0, transport]
        let isTransportSound = naiveChecksum((transport == 1 ? [] : pseudo) + body) == 0
        isSound =
            told == (isIPv6 ? body.count : bytes.count) && isTransportSound
            && (isIPv6 || naiveChecksum(Array(bytes[..<20])) == 0)
    }

    var sourcePort: Int { Int(body[0]) << 8 | Int(body[1]) }
    var destinationPort: Int { Int(body[2]) << 8 | Int(body[3]) }
    var sequence: Int { body[4..<8].reduce(0) { $0 << 8 | Int($1) } }
    var acknowledgment: Int { body[8..<12].reduce(0) { $0 << 8 | Int($1) } }
    var flags: UInt8 { body[13] }
    var window: Int { Int(body[14]) << 8 | Int(body[15]) }
    var data: [UInt8] { Array(body[(Int(body[12]) >> 4 * 4)...]) }
    /// The payload of UDP.
    var datagram: [UInt8] { Array(body[8...]) }
}

/// Faults of a profile's text, which decide about packets.
final class TestedFaults {
    private var faults: PacketFaults

    init(_ text: String, seed: UInt64 = 1, connections: Int = PacketFaults.maximumConnections) throws {
        let profile = try Profile(utf8: "{\"name\": \"Test\", \"faults\": [\(text)]}".utf8)
        guard let faults = PacketFaults(profile.faults, seed: seed, connections: connections) else {
            throw UnreadableFaults(text: text)
        }
        self.faults = faults
    }

    private struct UnreadableFaults: Error { let text: String }

    var connectionCount: Int { faults.connectionCount }

    func decide(_ bytes: [UInt8], _ direction: Direction, at now: Int64 = 0) -> FaultDecision {
        faults.decide(bytes, direction, at: now)
    }

    func recordSettled(_ head: [UInt8], _ direction: Direction, at now: Int64 = 0) -> Bool {
        faults.recordSettled(head, direction, at: now)
    }

    func decide(_ packet: WirePacket, at now: Int64 = 0) -> FaultDecision {
        faults.decide(packet.bytes, packet.direction, at: now)
    }

    func start(with open: [OpenConnection], after earlier: TestedFaults? = nil, at now: Int64 = 0) -> [MadePacket] {
        faults.start(with: open, after: earlier?.faults, at: now)
    }

    var turnCount: Int { faults.idleTurnCount }
    var nextIdle: Int64 { faults.nextIdle }
    func popIdle(at now: Int64) -> [IdleConnection] { faults.popIdle(at: now) }
    func end(_ open: OpenConnection, as idle: IdleConnection) -> [MadePacket] { faults.end(open, as: idle) }

    /// Whether a packet is lost.
    func loses(_ packet: WirePacket, at now: Int64 = 0) -> Bool { decide(packet, at: now).loss != nil }
}

extension FaultDecision {
    /// What is sent back, and what is sent on, taken apart.
    var back: [ReadPacket] { made.filter(\.isForSender).map { ReadPacket($0.bytes) } }
    var on: [ReadPacket] { made.filter { !$0.isForSender }.map { ReadPacket($0.bytes) } }
}
