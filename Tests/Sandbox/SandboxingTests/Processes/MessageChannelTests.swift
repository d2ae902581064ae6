// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

@Suite struct MessageChannelTests {
    private let (asking, answering): (MessageChannel, MessageChannel)

    init() throws { (asking, answering) = try MessageChannel.pair() }

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
        #expect(!asking.sendSign() && !asking.waitForSign())
    }

    @Test func keepsMessagesApart() {
        let messages: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 9, count: 70_000)]
        for message in messages { asking.send(message: message) }
        asking.endSending()
        for message in messages { #expect(answering.receiveMessage() == message) }
        #expect(answering.receiveMessage() == nil)
        // The other direction is open.
        answering.send(message: [4])
        #expect(asking.receiveMessage() == [4])
    }

    /// The other process was killed meanwhile.
    @Test(arguments: [[3, 0, 0], [3, 0, 0, 0, 7]] as [[UInt8]])
    func refusesAnIncompleteMessage(_ bytes: [UInt8]) {
        #expect(write(asking.descriptor, bytes, bytes.count) == bytes.count)
        asking.close()
        #expect(answering.receiveMessage() == nil)
    }

    /// The other process is none of ours: no memory is reserved for the message, and nothing of it is read.
    @Test func refusesATooLongMessageByItsLength() {
        let length = withUnsafeBytes(of: UInt32(MessageChannel.longest + 1)) { Array($0) }
        #expect(write(asking.descriptor, length + [7], 5) == 5)
        asking.close()
        #expect(answering.receiveMessage() == nil)
        var byte: UInt8 = 0
        #expect(read(answering.descriptor, &byte, 1) == 1 && byte == 7)
    }

    @Test func passesDescriptors() throws {
        let pipe = try Descriptors.pipe()
        #expect(asking.send(descriptor: pipe.read) == 0)
        let received = try #require(answering.receiveDescriptor())
        #expect(received != pipe.read && FileIdentity(descriptor: received) == FileIdentity(descriptor: pipe.read))
        asking.end()
        #expect(answering.receiveDescriptor() == nil && asking.send(descriptor: pipe.read) == -EPIPE)
        for descriptor in [pipe.read, pipe.write, received] { close(descriptor) }
    }

    @Test func waitsNoLongerThanItsLimit() {
        asking.limitWaits(seconds: 1)
        #expect(asking.receiveMessage() == nil && !asking.isAbandoned)
    }
}
