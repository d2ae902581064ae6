// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct ByteCountTests {
    private func parse(_ text: String) -> UInt64? { try? ByteCount.quantity.parse(text).get() }

    @Test(arguments: [
        ("10 kB", 10_000), ("10kB", 10_000), ("1.5 MB", 1_500_000), ("2 GB", 2_000_000_000), ("64 KiB", 65_536),
        ("1 byte", 1), ("7 bytes", 7), ("7 B", 7), ("0.5 kB", 500), ("1000000 GB", 1_000_000_000_000_000),
    ])
    func readsSizes(text: String, bytes: UInt64) {
        #expect(parse(text) == bytes)
    }

    @Test(arguments: ["10", "kB", "-1 kB", "10 kbit", "10 packets", "1000001 GB", "0.4 bytes", ""])
    func refusesWhatIsNoSize(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func printsWithTheLargestPrefix() {
        #expect("\(ByteCount(bytes: 10_000))" == "10 kB")
        #expect("\(ByteCount(bytes: 3_217))" == "3.217 kB")
        #expect("\(ByteCount(bytes: 0))" == "0 bytes")
        #expect("\(ByteCount(bytes: 2_000_000_000))" == "2 GB")
    }
}
