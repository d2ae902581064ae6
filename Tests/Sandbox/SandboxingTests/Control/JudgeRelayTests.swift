// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Glibc
import LinkProfiles
import LinuxSystem
import SandboxClient
import SocketServing
import Synchronization
import TestKit
import Testing

@testable import PacketPump
@testable import Sandboxing

/// Questions for verdicts, with stand-ins for the process that carries the packets and the one that reads them.
@Suite final class JudgeRelayTests {
    private let pump: PumpProcess
    private let ends: PumpProcess.Ends
    private let asking: MessageChannel
    private let answering: MessageChannel
    private let loop: EventLoop
    private let relay: JudgeRelay
    private let files: TemporaryDirectory

    init() throws {
        nonisolated(unsafe) var given: PumpProcess.Ends?
        pump = try PumpProcess { ends in
            given = ends
            return 0
        }
        ends = try #require(given)
        (asking, answering) = try MessageChannel.pair()
        files = try TemporaryDirectory()
        let file = open("\(files.path)/events", O_CREAT | O_RDWR | O_APPEND, 0o600)
        let observation = RunObservation(capture: file, record: EventFile(file))
        loop = try EventLoop.start()
        relay = JudgeRelay(asking, pump, observation)
    }

    deinit { loop.stop() }

    /// Asks on the event loop, and returns once that has done something else.
    private func judge(_ request: JudgeRequest, then respond: @escaping @Sendable (ControlAPI.Answer) -> Void) throws {
        try loop.perform { [relay] in relay.judge(request, then: respond) }
        try loop.perform {}
    }

    /// A step of a scenario begins on the event loop.
    @Test(.timeLimit(.minutes(10)), arguments: [false, true])
    func leavesTheEventLoopToOthersWhileThePumpDoesNotAnswer(isLive: Bool) throws {
        var request = JudgeRequest(["at most 1 connection"])
        request.isLive = isLive
        let answered = try EventFD()
        try judge(request) { _ in answered.signal() }
        #expect(ends.flushes.receive().flatMap { PumpRequest(json: $0) } == .flush)
        #expect(!Wait.isReadable(answered.descriptor))
        ends.flushes.close()
        answering.close()
        Wait.untilReadable([answered.descriptor])
    }

    /// A crowd of tests that end together, or one client that asks and asks, keeps no other from its verdict.
    @Test(.timeLimit(.minutes(10))) func hasARequestWaitWhereItWorksOnManyOthers() throws {
        let statuses = Mutex([Int]())
        for _ in 0..<100 {
            try judge(JudgeRequest(["at most 1 connection"])) { answer in
                statuses.withLock { $0.append(answer.status) }
            }
        }
        #expect(statuses.withLock { $0 }.isEmpty)
        ends.flushes.close()
        answering.close()
        #expect(HangLimit.waits { statuses.withLock { $0.count } == 100 })
        #expect(!statuses.withLock { $0 }.contains(409))
    }

    /// As at the end of the run, there is a verdict, which says what it lacks.
    @Test func asksWithTheReasonWhereThePumpRecordsNoMore() throws {
        let answered = try EventFD()
        let status = Mutex(0)
        try judge(JudgeRequest(["at most 1 connection"])) { answer in
            status.withLock { $0 = answer.status }
            answered.signal()
        }
        _ = ends.flushes.receive()
        ends.flushes.send(PumpAnswer(refusal: "No space left on device").json)
        let question = try #require(answering.receive().flatMap { JudgeQuestion(json: $0) })
        #expect(question.problem == "No space left on device")
        answering.send(JSON(("verdict", "inconclusive")))
        Wait.untilReadable([answered.descriptor])
        #expect(status.withLock { $0 } == 200)
    }
}
