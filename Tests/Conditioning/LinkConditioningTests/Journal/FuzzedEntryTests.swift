// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning

/// Journal entries whose bytes are damaged, as a disk leaves them, or another program that knows the checksum.
@Suite struct FuzzedEntryTests {
    private static let entries: [JournalEntry] = [
        .full, .made(), .made([.made(.slowNet)]), .made(change: .made("reset", nil)),
    ]

    @Test(arguments: [1, 2] as [UInt64])
    func trustsNoDamage(seed: UInt64) {
        let sound = Set(Self.entries.map { JournalReading.bytes(of: $0) })
        var inputs = FuzzedInputs(Array(sound), seed: seed)
        for _ in 0..<FuzzedInputs.count {
            let bytes = inputs.next()
            if case .entry = JournalReading(bytes), !sound.contains(bytes) { Issue.record("\(bytes) was trusted") }
        }
    }

    @Test(arguments: [3, 4] as [UInt64])
    func readsOnlyWhatItCouldHaveWritten(seed: UInt64) {
        var inputs = FuzzedInputs(Self.entries.map { Array(($0.json.text + "\n").utf8) }, seed: seed)
        var read = 0
        for _ in 0..<FuzzedInputs.count {
            let body = inputs.next()
            guard case .entry(let entry) = JournalReading(JournalReading.header(for: body) + body) else { continue }
            read += 1
            guard case .entry(entry) = JournalReading(JournalReading.bytes(of: entry)) else {
                Issue.record("\(String(decoding: body, as: UTF8.self)) is taken for \(entry)")
                continue
            }
        }
        #expect(read > FuzzedInputs.count / 100)
    }
}
