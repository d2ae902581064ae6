// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import LinuxSystem
import Synchronization
import TestKit
import Testing

@testable import Sandboxing

/// The watch of the uplink's processes, with a stand-in for one.
@Suite final class ForwarderWatchTests {
    private let theirs: MessageChannel
    private let watch: ForwarderWatch
    private let reports: Reports

    private final class Reports: Sendable {
        let all = Mutex([(state: RunEvent.ForwarderState, time: Instant)]())
        var states: [RunEvent.ForwarderState] { all.withLock { $0.map(\.state) } }
    }

    init() throws {
        let (mine, theirs) = try MessageChannel.pair()
        let reports = Reports()
        (self.theirs, self.reports) = (theirs, reports)
        watch = ForwarderWatch(mine) { state, time in reports.all.withLock { $0.append((state, time)) } }
    }

    /// Answers on a thread of its own as long as `isWorking`.
    private func answer(while isWorking: @escaping @Sendable () -> Bool) throws {
        try PosixThread.detach { [theirs] in
            while isWorking() {
                if Wait.untilReadable([theirs.descriptor], limit: .milliseconds(10)) { theirs.answer() }
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func tellsSinceWhenAProcessIsSilentAndThatItGoesOn() throws {
        let worker = Worker()
        try answer { worker.isWorking }
        watch.start()
        let frozen = Instant.now
        worker.isWorking = false
        #expect(HangLimit.waits { self.reports.states == [.stopped] })
        let since = reports.all.withLock { $0[0].time }
        #expect(since < Instant.now + .seconds(-3) && since < frozen + .seconds(1))
        worker.isWorking = true
        try answer { worker.isWorking }
        #expect(HangLimit.waits { self.reports.states == [.stopped, .continued] })
        #expect(watch.finish())
        worker.isWorking = false
    }

    /// It may be frozen after its last answer.
    @Test func asksAtTheEnd() throws {
        #expect(watch.finish() && reports.states == [.stopped])
    }

    @Test func saysNothingOfOneThatAnswersOrHasEndedOrIsKnownToBeStopped() throws {
        let worker = Worker()
        try answer { worker.isWorking }
        #expect(!watch.finish() && reports.states.isEmpty)
        worker.isWorking = false
        for ends in [false, true] {
            let (mine, other) = try MessageChannel.pair()
            let second = ForwarderWatch(mine) { [reports] state, time in
                reports.all.withLock { $0.append((state, time)) }
            }
            if ends { other.close() } else { second.knowsStop(true) }
            #expect(!second.finish() && reports.states.isEmpty)
        }
    }
}

private final class Worker: Sendable {
    private let flag = Atomic(true)

    var isWorking: Bool {
        get { flag.load(ordering: .acquiring) }
        set { flag.store(newValue, ordering: .releasing) }
    }
}
