// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Glibc
import LinkRules
import LinuxSystem
import Testing

@testable import PacketPump

/// The supervisor's side of a pump's process, with a stand-in for it.
@Suite struct PumpProcessTests {
    private let pump: PumpProcess
    private let ends: PumpProcess.Ends

    init() throws {
        nonisolated(unsafe) var given: PumpProcess.Ends?
        pump = try PumpProcess { ends in
            given = ends
            return 0
        }
        ends = try #require(given)
    }

    /// Nobody but the parent: the process has no socket, and takes clients over this channel.
    @Test func passesItsClientsOn() throws {
        let report = try PosixThread.start { [pump] in
            #expect(throws: PumpFailure.silent) { try pump.client.report(tap: "lc2r1u") }
        }
        var server = PumpServer(log: nil, ephemeralPorts: 1...2, endsWithNetwork: true)
        Wait.untilReadable([ends.clients.descriptor])
        #expect(server.admitClient(from: ends.clients) != nil)
        #expect(server.descriptors.count == 1)
        report.join()
        // It serves no such device, and hangs up.
        server.answerClients()
        #expect(server.descriptors.isEmpty)
    }

    private static func end(_ reason: String) -> PumpAnswer {
        var answer = PumpAnswer(refusal: reason)
        answer.isFinal = true
        return answer
    }

    /// The process ends while a request is under way: what it says then is no answer, and is still there for the supervisor.
    @Test func keepsWhatTheProcessSaysAtItsEnd() throws {
        ends.requests.send(Self.end("the disk is full").json)
        ends.requests.close()
        for _ in 0..<2 {
            let error = #expect(throws: ConditioningError.self) { try pump.record() }
            #expect(error?.message == "the process that was to carry the conditions has ended")
        }
        #expect(pump.captureEnd().problem == "the disk is full")
    }

    @Test func saysNothingOfAProcessThatEndedWell() throws {
        ends.requests.close()
        #expect(throws: ConditioningError.self) { try pump.record() }
        #expect(pump.captureEnd().problem == nil)
    }

    /// The disk may be slow; a step of a scenario is not.
    @Test func answersRequestsWhileItWritesDown() throws {
        let thread = try PosixThread.start { [pump] in _ = try? pump.flush() }
        #expect(ends.flushes.receive().flatMap { PumpRequest(json: $0) } == .flush)
        ends.requests.send(PumpAnswer().json)
        try pump.record()
        ends.flushes.close()
        thread.join()
    }

    /// A recording whose file takes no more.
    private final class StuckRecording: PacketRecording {
        let limits = PacketRecorder.Limits()
        let problem: String? = nil
        let released: EventFD

        init(until released: EventFD) { self.released = released }

        func add(_ recorder: PacketRecorder, of device: String, inputs: [PumpInput]) {}
        func finish() -> String? { nil }
        var digest: CaptureDigest.Value? { nil }
        func flush(until time: Int64) -> WrittenPackets? {
            Wait.untilReadable([released.descriptor])
            return WrittenPackets(seen: time, sent: time)
        }
    }

    @Test func handlesRequestsWhileTheFileTakesNoMore() throws {
        let released = try EventFD()
        var server = PumpServer(
            log: nil,
            capture: PumpCaptureStart(descriptors: []) { StuckRecording(until: released) },
            ephemeralPorts: 1...2,
            endsWithNetwork: false
        )
        let flush = try PosixThread.start { [pump] in #expect((try? pump.flush())?.held == 0) }
        Wait.untilReadable([ends.flushes.descriptor])
        #expect(server.handleFlush(ends.flushes) != nil)
        let record = try PosixThread.start { [pump] in #expect(throws: Never.self) { try pump.record() } }
        Wait.untilReadable([ends.requests.descriptor])
        #expect(server.handleRequest(ends.requests) != nil)
        record.join()
        released.signal()
        flush.join()
    }
}
