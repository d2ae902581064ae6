// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import PacketPump

@Suite struct PumpChannelHeartbeatTests {
    private let (asking, answering): (PumpChannel, PumpChannel)

    init() throws { (asking, answering) = try #require(PumpChannel.pair()) }

    @Test func hearsAnAnswer() throws {
        // On a busy machine, the thread may take longer than an answer may.
        let isHeard = try (0..<10).contains { _ in
            let thread = try PosixThread.start { [answering] in
                Wait.untilReadable([answering.descriptor])
                answering.answer()
            }
            let isAnswered = asking.isAnswered()
            thread.join()
            return isAnswered
        }
        #expect(isHeard && !asking.isAbandoned)
    }

    /// The process was stopped meanwhile.
    @Test func doesNotTakeALateAnswerForTheNext() {
        #expect(!asking.isAnswered())
        answering.answer()
        #expect(!asking.isAnswered())
    }

    @Test func tellsAnEndFromSilence() {
        answering.close()
        #expect(asking.isAnswered())
        #expect(asking.isAbandoned)
    }
}
