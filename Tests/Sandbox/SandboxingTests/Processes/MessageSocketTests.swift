// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Glibc
import LinkConditioning
import Testing

@testable import Sandboxing

@Suite struct MessageSocketTests {
    private static let progress: RunProgress = {
        var progress = RunProgress(conditions: "in the \"lift\"")
        progress.next = RunProgress.Next(label: "out\nagain", trigger: "3 s", rest: .milliseconds(1500))
        (progress.elapsed, progress.connections, progress.droppedPackets) = (.seconds(7), 12, 345)
        return progress
    }()

    @Test(
        arguments: [
            .signal(SIGTERM), .ready, .begin, .started(4711), .stopped(SIGTSTP), .note("one\ntwo \u{1F600}"), .note(""),
            .note("left", Remedy(.reset, "eth0")),
            .tellProgress, .progress(RunProgress(conditions: nil)), .progress(Self.progress),
            .ended(.exited(77)),
            .ended(.killed(SIGSEGV)), .ended(.timedOut), .end, .ended(.failedFast), .ended(.notStarted(ENOENT)),
            .failed(SandboxError("no", remedy: "type this")), .failed(SandboxError("no")), .failed(SandboxError("")),
        ] as [MessageSocket.Message]
    )
    func carriesEveryMessage(_ message: MessageSocket.Message) throws {
        let (left, right) = try MessageSocket.pair()
        defer { right.close() }
        left.send(message)
        left.close()
        #expect(right.receive() == message)
        #expect(right.receive() == nil)
    }

    @Test func keepsTheBytesOfTheProgress() {
        let text =
            #"{ "elapsed": 7000000000, "conditions": "in the \"lift\"", "next": { "label": "out\nagain", "#
            + #""trigger": "3 s", "rest": 1500000000 }, "connections": 12, "dropped": 345 }"#
        #expect(Self.progress.json.line == text)
    }

    @Test func keepsTheirOrderAndBounds() throws {
        let (left, right) = try MessageSocket.pair()
        defer { right.close() }
        for number in 0..<50 { left.send(.note(String(repeating: "x", count: number * 10))) }
        left.close()
        for number in 0..<50 {
            #expect(right.receive() == .note(String(repeating: "x", count: number * 10)))
        }
    }

    /// A launcher that asks for the progress, or forwards a signal, while the command ends.
    @Test func keepsWhatWasSentBeforeAnEndThatReadNotEverything() throws {
        let (left, right) = try MessageSocket.pair()
        defer { right.close() }
        right.send(.tellProgress)
        left.send(.ended(.exited(3)))
        left.close()
        #expect(right.receive() == .ended(.exited(3)))
        #expect(right.receive() == nil)
    }

    /// The other end would wait for ever for a message that was lost.
    @Test func endsWhereTheKernelDoesNotTakeAMessage() throws {
        let (left, right) = try MessageSocket.pair()
        defer {
            left.close()
            right.close()
        }
        var size: CInt = 4096
        setsockopt(left.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        left.send(.ready)
        left.send(.report(String(repeating: "x", count: 32_000)))
        var waiting = pollfd(fd: right.descriptor, events: 0, revents: 0)
        try #require(poll(&waiting, 1, 0) == 1 && waiting.revents == POLLHUP)
        #expect(right.receive() == .ready)
        #expect(right.receive() == nil)
    }

    /// A supervisor whose launcher was killed must continue and clean up.
    @Test func survivesSendingToAClosedSocket() throws {
        let (left, right) = try MessageSocket.pair()
        right.close()
        left.send(.ready)
        left.close()
    }
}
