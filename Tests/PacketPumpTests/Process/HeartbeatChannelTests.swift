// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import PacketPump

@Suite struct HeartbeatChannelTests {
    private let (asking, answering): (HeartbeatChannel, HeartbeatChannel)

    init() throws { (asking, answering) = try #require(HeartbeatChannel.pair()) }

    @Test func hearsAnAnswer() throws {
        let thread = try PosixThread.start { [answering] in
            Wait.untilReadable([answering.descriptor])
            answering.answer()
        }
        #expect(asking.isAnswered())
        thread.join()
        #expect(!asking.isClosed)
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
        #expect(asking.isClosed)
    }
}
