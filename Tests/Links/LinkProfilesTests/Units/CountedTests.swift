// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct CountedTests {
    @Test(arguments: [(0, "0 services"), (1, "1 service"), (2, "2 services")])
    func hasTheNounInItsNumber(count: Int, text: String) {
        #expect(counted(count, "service") == text)
    }

    @Test func writesOneByteAndOnePacket() {
        #expect("\(ByteCount(bytes: 1)), \(ByteCount(bytes: 2)), \(ByteCount(bytes: 1000))" == "1 byte, 2 bytes, 1 kB")
        #expect("\(QueueSize.packets(1)), \(QueueSize.packets(2))" == "1 packet, 2 packets")
        #expect("\(QueueSize.bytes(1))" == "1 byte")
    }
}
