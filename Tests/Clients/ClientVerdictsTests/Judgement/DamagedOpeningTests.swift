// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// Connections that may have begun with a packet that the link has damaged.
@Suite struct DamagedOpeningTests {
    /// The first packet of a connection may be one whose port is wrong, so that the one that was seen is sent again.
    @Test(arguments: [
        ("at most 0 connection attempts during 'm'", 500), ("at most 0 connections at a time during 'm'", 0),
    ])
    func doubtsWhenAConnectionBegan(expectation: String, label: Int) throws {
        for isDamaged in [false, true] {
            var capture = TestCapture()
            capture.template.clientPort = 50_001
            if isDamaged { capture.client(.syn, 0, at: 1_000_010, .damaged(20)) }
            capture.template.clientPort = 50_000
            capture.client(.syn, 0, at: 1_001_010)
            capture.server([.reset, .acknowledgment], 0, ack: 1, at: 1_001_030)
            var run = JudgedRun()
            run.traffic = capture.traffic
            run.label("m", label, label == 0 ? 800 : 2_000, .mark)
            let verdict: Verdict = isDamaged ? .inconclusive : label == 0 ? .pass : .fail
            #expect(try run.verdict(expectation) == verdict)
        }
    }
}
