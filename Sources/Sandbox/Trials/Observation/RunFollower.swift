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

/// Reads the packets and the events of a run while its command runs, on a thread beside the one that follows the
/// command, and judges them at the supervisor's request. Each request only reads what is new since the last.
///
/// The rest is read after the command's end; all of it, if the thread could not be started.
///
/// Unchecked because of `reading`, which belongs to the thread until the thread is joined.
final class RunFollower: @unchecked Sendable {
    /// What verdicts are needed while the command runs, and the memory for them.
    struct Interest {
        /// Whether verdicts will certainly be made; otherwise the files are read only from the first request on.
        var readsAhead = false
        /// The expectations whose failure ends the command early.
        var endingExpectations: [ClientExpectation] = []
        /// The most bytes of memory for the client's traffic.
        var memory = ReadingBudget.ofRun
    }

    /// The time between two looks at the files.
    private static let pause = Duration.milliseconds(100)
    /// The processor time after which reading ahead pauses, in nanoseconds.
    private static let slice: Int64 = 50_000_000
    /// The pause after reading ahead is this many times as long as the reading: nothing waits for the result, and the
    /// pump and the client need the processor.
    private static let share: Int64 = 4

    /// Used by the thread while the thread runs, and by this object's owner afterwards.
    private var reading: RunReading
    private let interest: Interest
    /// The two ends of the channel: the supervisor's, which requests verdicts, and this process's, which answers.
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
        // The supervisor has a copy: when the supervisor closes it, this process must see the channel's end.
        channel.asking.close()
        let started = try? PosixThread.start { [self] in run() }
        // Without a thread, the supervisor must not wait for its answers.
        if started == nil { channel.answering.end() }
        state.withLock { $0.thread = started }
    }

    /// Ends the thread; returns the packets and events that it has read.
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
                // A client that requests verdicts once will probably do so again.
                readsAhead = true
                // Reading stops at the command's end, so that it does not delay the end.
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
