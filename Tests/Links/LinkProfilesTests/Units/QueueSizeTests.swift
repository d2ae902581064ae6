// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkProfiles

@Suite struct QueueSizeTests {
    @Test(arguments: [
        ("300 ms", QueueSize.time(.milliseconds(300))), ("1.5 s", .time(.milliseconds(1500))),
        ("250 us", .time(.microseconds(250))), ("1min", .time(.seconds(60))),
        ("64 kB", .bytes(64_000)), ("64 KiB", .bytes(65_536)), ("1 MB", .bytes(1_000_000)),
        ("2 MiB", .bytes(2_097_152)), ("1500 B", .bytes(1500)), ("3000 bytes", .bytes(3000)), ("1 byte", .bytes(1)),
        ("50 packets", .packets(50)), ("1 packet", .packets(1)), ("0 packets", .packets(0)),
        (" 5packets ", .packets(5)),
    ])
    func readsTimesSizesAndPackets(text: String, expected: QueueSize) throws {
        #expect(try QueueSize.parse(text).get() == expected)
    }

    @Test(arguments: [
        "50", "", "packets", "-5 packets", "50 frames", "5 kbit", "10001 MB", "10000001 packets", "3601 s", "1 GB",
        "0.4 packets",
    ])
    func refusesWhatIsNoQueue(text: String) {
        #expect(throws: UnreadableQuantity.self) { try QueueSize.parse(text).get() }
    }

    @Test func namesAllThreeKindsWhereNoneIsRecognizable() {
        guard case .failure(let error) = QueueSize.parse("50 frames") else {
            Issue.record("frames were read")
            return
        }
        #expect(error.expected == QueueSize.expectation)
    }

    @Test(arguments: [
        (QueueSize.time(.milliseconds(300)), "300 ms"), (.bytes(64_000), "64 kB"), (.bytes(65_536), "65.536 kB"),
        (.bytes(0), "0 bytes"), (.bytes(1500), "1.5 kB"), (.packets(50), "50 packets"), (.packets(0), "0 packets"),
    ])
    func printsAsAProfileSpellsIt(size: QueueSize, text: String) {
        #expect("\(size)" == text)
    }

    @Test func readsBackWhatItPrints() throws {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<500 {
            let sizes: [QueueSize] = [
                .time(.nanoseconds(Int64.random(in: 0...3_600_000_000_000, using: &generator))),
                .bytes(.random(in: 0...10_000_000_000, using: &generator)),
                .packets(.random(in: 0...10_000_000, using: &generator)),
            ]
            for size in sizes {
                #expect(try QueueSize.parse("\(size)").get() == size, "\(size)")
            }
        }
    }
}
