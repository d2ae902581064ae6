// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump
internal import SandboxClient
internal import Sandboxing
internal import Synchronization

/// Reads the packets and the events of a run while its command runs, on a thread beside the one that follows the command,
/// and judges them at the supervisor's request: each verdict costs what is new since the last.
///
/// What it has not read when the command ends, such as where there was no thread for it, is read then.
///
/// Unchecked for `reading`, which the thread has until it is joined.
final class RunFollower: @unchecked Sendable {
    /// The questions of an observed run while its command runs.
    struct Interest {
        /// Whether verdicts will be made; else the files are read from the first question on.
        var readsAhead = false
        /// The expectation whose failure ends the command early.
        var endingExpectations: [ClientExpectation] = []
        /// The bytes for what the client did.
        var memory = ReadingBudget.ofRun
    }

    /// The time between two looks at the files.
    private static let pause = Duration.milliseconds(100)
    /// The processor's time after which it pauses, in nanoseconds.
    private static let slice: Int64 = 50_000_000
    /// The share of a processor's time for reading ahead, when nothing waits for the result: the pump and the client
    /// need the processor.
    private static let share: Int64 = 4

    /// Used by the thread while it runs, and by this object's owner afterwards.
    private var reading: RunReading
    private let interest: Interest
    /// The channels on which the supervisor asks, and this process answers.
    let channel: (asking: MessageChannel, answering: MessageChannel)
    /// Readable when the command is to be ended.
    let ending: EventFD
    private let wakeup: EventFD
    private let state = Mutex((isEnding: false, thread: PosixThread?.none))

    /// Follows nothing yet.
    ///
    /// - Throws: the reason why the kernel gives no descriptors.
    init(_ files: ObservationFiles, started: Instant, _ interest: Interest = Interest()) throws(SystemError) {
        channel = try MessageChannel.pair()
        (ending, wakeup) = (try EventFD(), try EventFD())
        reading = RunReading(files, started: started, memory: interest.memory)
        self.interest = interest
    }

    /// Starts the thread, in a process that forks no more.
    func start() {
        // The supervisor has its copy: when that is closed, this process must see the end.
        channel.asking.close()
        let started = try? PosixThread.start { [self] in run() }
        // Without a thread, the supervisor must not wait for its answers.
        if started == nil { channel.answering.end() }
        state.withLock { $0.thread = started }
    }

    /// Ends the thread; returns what was read.
    func finish() -> RunReading {
        let thread = state.withLock { state in
            defer { state.thread = nil }
            state.isEnding = true
            return state.thread
        }
        wakeup.signal()
        // The thread may wait for a supervisor that has ended.
        if thread != nil { channel.answering.end() }
        thread?.join()
        return reading
    }

    private var isEnding: Bool { state.withLock { $0.isEnding } }

    private func run() {
        defer { channel.answering.end() }
        var rest = Self.pause
        var readsAhead = interest.readsAhead
        while !isEnding {
            let inputs = [channel.answering.descriptor, wakeup.descriptor]
            Wait.untilReadable(inputs, limit: readsAhead ? rest : nil)
            if Wait.isReadable(channel.answering.descriptor) {
                guard let question = channel.answering.receive().flatMap({ JudgeQuestion(json: $0) }) else { return }
                // A client that asks once asks again.
                readsAhead = true
                // The end of the command is not kept waiting by what is read then, too.
                reading.advance { isEnding }
                channel.answering.send(answer(question))
            } else if readsAhead {
                let start = ThreadClock.now
                reading.advance { isEnding || ThreadClock.now - start > Self.slice }
                rest = max(Self.pause, .nanoseconds((ThreadClock.now - start) * Self.share))
            }
        }
    }

    private func answer(_ question: JudgeQuestion) -> JSON {
        if let request = question.request { return reading.answer(request, question) }
        if reading.failure(of: interest.endingExpectations, question) != nil { ending.signal() }
        return JSON(members: [])
    }
}
