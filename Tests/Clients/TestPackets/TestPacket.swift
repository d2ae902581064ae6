// SPDX-License-Identifier: Apache-2.0

import CapturedPackets

/// A packet of TCP or UDP between a client and a server, as bytes of IP.
struct TestPacket {
    var isFromClient = true
    var isIPv6 = false
    var clientPort: UInt16 = 50_000
    var serverPort: UInt16 = 80
    /// The last byte of the server's address.
    var host = Self.server4[3]
    /// Nil for UDP.
    var flags: TCPHeader.Flags?
    var sequence: UInt32 = 0
    var acknowledgment: UInt32 = 0
    /// The timestamp of RFC 7323, and the one that it echoes.
    var stamps: (value: UInt32, echo: UInt32)?
    var payload: [UInt8] = []

    static let client4: [UInt8] = [10, 0, 0, 1]
    static let server4: [UInt8] = [192, 0, 2, 7]
    static let client6: [UInt8] = [0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]
    static let server6: [UInt8] = [0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [2]

    var bytes: [UInt8] {
        let ends = isIPv6 ? (Self.client6, Self.server6) : (Self.client4, Self.server4.dropLast() + [host])
        let addresses = isFromClient ? ends.0 + ends.1 : ends.1 + ends.0
        let transport = transport
        guard !isIPv6 else {
            return [0x60, 0, 0, 0] + Self.word(transport.count) + [flags == nil ? 17 : 6, 64] + addresses + transport
        }
        return [0x45, 0] + Self.word(20 + transport.count) + [0, 1, 0, 0, 64, flags == nil ? 17 : 6, 0, 0] + addresses
            + transport
    }

    private var transport: [UInt8] {
        let ports = isFromClient ? [clientPort, serverPort] : [serverPort, clientPort]
        let head = ports.flatMap { Self.word(Int($0)) }
        guard let flags else { return head + Self.word(8 + payload.count) + [0, 0] + payload }
        let numbers = [sequence, acknowledgment].flatMap(Self.long)
        let options = stamps.map { [1, 1, 8, 10] + Self.long($0.value) + Self.long($0.echo) } ?? []
        let length = UInt8(5 + options.count / 4) << 4
        return head + numbers + [length, flags.rawValue, 1, 0, 0, 0, 0, 0] + options + payload
    }

    private static func long(_ number: UInt32) -> [UInt8] {
        word(Int(number >> 16)) + word(Int(number & 0xFFFF))
    }

    static func word(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
}
