// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import PacketPump

@Suite struct PumpChannelHeartbeatTests {
    private let (asking, answering): (PumpChannel, PumpChannel)

    init() throws { (asking, answering) = try #require(PumpChannel.pair()) }

    @Test func hearsAnAnswer() throws {
        let thread = try PosixThread.start { [answering] in
            Wait.untilReadable([answering.descriptor])
            answering.answer()
        }
        #expect(asking.isAnswered())
        thread.join()
        #expect(!asking.isAbandoned)
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
