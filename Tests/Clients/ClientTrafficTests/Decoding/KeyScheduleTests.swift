// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DecryptedStreams

/// Keys of secrets, as published.
@Suite struct KeyScheduleTests {
    private static func bytes(_ digits: String) -> [UInt8] {
        stride(from: 0, to: digits.utf8.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
    }

    /// RFC 8448, section 3: the keys of the handshake.
    @Test(arguments: [
        (
            "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38", "3fce516009c21727d0f2e4e86ee403bc",
            "5d313eb2671276ee13000b30"
        ),
        (
            "b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21", "dbfaa693d1762c5b666af5d950258d01",
            "5bd3c71b836e0b76bb73265f"
        ),
    ])
    func makesThePublishedKeys(secret: String, key: String, nonce: String) {
        let secret = Self.bytes(secret)
        #expect(KeySchedule.expand(secret, "key", .sha256, length: 16) == Self.bytes(key))
        #expect(KeySchedule.expand(secret, "iv", .sha256, length: 12) == Self.bytes(nonce))
    }

    @Test func readsAKeyLog() {
        let log = KeyLog()
        let random = String(repeating: "ab", count: 32)
        let secret = String(repeating: "0C", count: 48)
        log.add(
            Array("# comment\nCLIENT_RANDOM \(random) \(secret)\r\nSERVER_TRAFFIC_SECRET_0 \(random) 12\nx y z\n".utf8)
        )
        let key = [UInt8](repeating: 0xAB, count: 32)
        #expect(log.secret(.master, of: key) == [UInt8](repeating: 12, count: 48))
        #expect(log.secret(.server, of: key) == nil && log.secret(.client, of: key) == nil)
    }
}
