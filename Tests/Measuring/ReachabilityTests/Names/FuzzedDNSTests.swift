// SPDX-License-Identifier: Apache-2.0

import Netlink
import TestKit
import Testing

@testable import Probing

/// Messages of a DNS server that may send anything.
@Suite struct FuzzedDNSTests {
    /// Header, question `ok.test` and these records, in answer to the query with the number zero.
    private static func message(_ records: [[UInt8]], flags: [UInt8] = [0x81, 0x80]) -> [UInt8] {
        [0, 0] + flags + [0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + [2, 0x6F, 0x6B, 4, 0x74, 0x65, 0x73, 0x74, 0]
            + [0, 1, 0, 1] + records.joined()
    }

    private static let address: [UInt8] = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4, 192, 0, 2, 1]
    private static let alias: [UInt8] = [0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 7, 0, 4, 1, 0x78, 0xC0, 15]
    private static let target: [UInt8] = [1, 0x78, 0xC0, 15, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 2]
    private static let sound = [
        message([address]), message([alias, target]), message([alias, alias, target, address]), message([]),
        message([], flags: [0x81, 0x83]), message([], flags: [0x83, 0x80]),
    ]

    private struct Zeros: RandomNumberGenerator {
        func next() -> UInt64 { 0 }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func readsOnlyAnswersToItsQuery(seed: UInt64) throws {
        var zeros = Zeros()
        let query = try #require(DNSQuery(DNSQuestion("ok.test", .a), using: &zeros))
        var inputs = FuzzedInputs(Self.sound, seed: seed)
        var answers = 0
        for _ in 0..<FuzzedInputs.count {
            let message = inputs.next()
            guard case .answer(let answer) = DNSAnswer.read(message, to: query) else { continue }
            answers += 1
            let isSound =
                message.starts(with: [0, 0]) && message[2] & 0x80 != 0 && answer.code == message[3] & 0xF
                // Each address takes a record of 16 bytes at least.
                && answer.addresses.count <= message.count / 16
                && answer.addresses.allSatisfy { $0.family == .ipv4 }
                && (answer.timeToLive ?? 0) <= UInt32(Int32.max)
            if !isSound { Issue.record("\(message) is taken for \(answer)") }
        }
        #expect(answers > FuzzedInputs.count / 100)
    }

    @Test func takesMessagesOffAStreamInWholePieces() {
        var inputs = FuzzedInputs(Self.sound.map { [0, UInt8($0.count)] + $0 }, seed: 3)
        for _ in 0..<FuzzedInputs.count {
            let bytes = (0..<3).flatMap { _ in inputs.next() }
            var whole = DNSMessageBuffer()
            whole.append(bytes)
            var pieces = DNSMessageBuffer()
            var rest = bytes[...]
            var (expected, found): ([[UInt8]], [[UInt8]]) = ([], [])
            while let message = whole.next() { expected.append(message) }
            while !rest.isEmpty {
                let piece = inputs.piece(of: rest)
                rest = rest.dropFirst(piece.count)
                pieces.append(piece)
                while let message = pieces.next() { found.append(message) }
            }
            if found != expected { Issue.record("\(bytes) gives \(found), in one piece \(expected)") }
        }
    }
}
