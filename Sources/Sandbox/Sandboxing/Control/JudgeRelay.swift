// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump
internal import SandboxClient
internal import Synchronization

/// Gets verdicts for clients of the control socket from the process that reads the packets of the run. That process
/// follows the capture during the run; this one has rights over the network, and so parses no packets.
///
/// Each request has a thread, which waits for the link, the pump and the reading process: the thread that receives
/// requests must not wait, since it begins the steps of a scenario.
final class JudgeRelay: Sendable {
    /// The most requests that are worked on at the same time, and the most that wait for a thread.
    private static let (maximumThreads, maximumWaiting) = (32, 192)
    /// The shortest time between two looks of the reading process at the expectations.
    private static let ownInterval = Duration.milliseconds(200)
    /// The pause after a look is this many times as long as the look: the pump and the client need the processor.
    private static let ownShare = 4

    /// The channel to the reading process, which answers one request after the other.
    private let reader: Mutex<MessageChannel>
    /// The process that carries the packets.
    private let pump: PumpProcess
    private let observation: RunObservation
    /// Descendants of this process that do not belong to the command.
    private let helpers: Set<Int32>
    private let state = Mutex(State())

    private struct QueuedRequest: Sendable {
        let request: JudgeRequest
        let time: Instant
        let respond: @Sendable (ControlAPI.Answer) -> Void
    }

    private struct State {
        var threads = 0
        /// The requests in the order in which they came.
        var waiting: [QueuedRequest] = []
        var hasEnded = false
    }

    init(
        _ reader: MessageChannel,
        _ pump: PumpProcess,
        _ observation: RunObservation,
        helpers: Set<Int32> = []
    ) {
        self.reader = Mutex(reader)
        (self.pump, self.observation, self.helpers) = (pump, observation, helpers)
    }

    /// Judges a part of the run. Answers on any thread.
    func judge(_ request: JudgeRequest, then respond: @escaping @Sendable (ControlAPI.Answer) -> Void) {
        let task = QueuedRequest(request: request, time: Instant.now, respond: respond)
        let admission = state.withLock { state -> Bool? in
            guard state.threads >= Self.maximumThreads else {
                state.threads += 1
                return true
            }
            guard state.waiting.count < Self.maximumWaiting else { return nil }
            state.waiting.append(task)
            return false
        }
        guard let needsThread = admission else {
            return respond(ControlAPI.refuse(.busy, "too many verdicts are asked for at the same time"))
        }
        guard needsThread else { return }
        do {
            try PosixThread.detach { [self] in
                var next: QueuedRequest? = task
                while let task = next {
                    work(on: task)
                    next = state.withLock { state in
                        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                        state.threads -= 1
                        return nil
                    }
                }
            }
        } catch {
            state.withLock { $0.threads -= 1 }
            respond(ControlAPI.refuse(.busy, "\(error)"))
        }
    }

    private func work(on task: QueuedRequest) {
        let answer = task.request.isLive ? ask(live(task.request)) : ask(settled(task.request, at: task.time))
        task.respond(answer)
    }

    /// Starts a thread that has the reading process look regularly at what is known so far.
    func keepAsking() {
        try? PosixThread.detach { [self] in
            var pause = Self.ownInterval
            while true {
                usleep(UInt32(clamping: Int64(pause / .microseconds(1))))
                guard !hasEnded else { return }
                let start = ContinuousClock.now
                _ = ask(live(nil))
                pause = max(Self.ownInterval, start.duration(to: .now) * Self.ownShare)
            }
        }
    }

    /// Ends the requests to the reading process.
    func stop() { state.withLock { $0.hasEnded = true } }

    private var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The request about a part that has ended. Waits until the link has delivered the part's packets.
    private func settled(_ request: JudgeRequest, at now: Instant) -> JudgeQuestion {
        let end = min(request.end ?? now, now)
        var question = JudgeQuestion(request, end: end, known: end)
        // List first: the sockets that are open now were open at the end.
        question.open = OpenSockets.current()
        addProcesses(to: &question)
        var scope = request.scope
        scope.ancestors = question.ancestors
        var delivery = PartDelivery(mayGetAnswers: OpenSockets.mayGetAnswers(scope, question.open))
        let start = ContinuousClock.now
        do {
            while true {
                let elapsed = start.duration(to: .now)
                guard let pause = delivery.pause(after: try pump.flush(), at: elapsed), !hasEnded else { break }
                usleep(UInt32(clamping: Int64(pause / .microseconds(1))))
            }
        } catch {
            question.problem = error.message
        }
        question.held = delivery.held
        return question
    }

    /// The request about a run that goes on, with all that is known now.
    private func live(_ request: JudgeRequest?) -> JudgeQuestion {
        let now = Instant.now
        var question = JudgeQuestion(request, end: now, known: now)
        do {
            question.known = Instant(nanoseconds: try pump.flush().written.seen)
            question.end = question.known
        } catch {
            question.problem = error.message
        }
        addProcesses(to: &question)
        return question
    }

    private func addProcesses(to question: inout JudgeQuestion) {
        guard let scope = question.request?.scope, let process = scope.process else { return }
        question.ancestors = SocketHolder.ancestors(of: process, below: getpid())
        var known = scope
        known.ancestors = question.ancestors
        // The relatives of an ended process are unknown.
        guard ProcessStatus(process) != nil else { return question.hasOthers = true }
        let network = Self.network(of: process)
        let candidates = ProcessTree.descendants().filter { candidate in
            !helpers.contains(candidate) && !known.ancestors.contains(candidate)
                && Self.network(of: candidate) == network
        }
        question.hasOthers = candidates.contains { candidate in
            // The parents of an orphan are unknown: it may belong to another process.
            SocketHolder.find([candidate], below: getpid())[candidate].map { known.relation(to: $0) != .own } ?? false
        }
    }

    private static func network(of process: Int32) -> UInt64? { FileIdentity("/proc/\(process)/ns/net")?.inode }

    /// Sends a request once the sockets have been sampled, and returns the answer.
    private func ask(_ question: JudgeQuestion) -> ControlAPI.Answer {
        var question = question
        if let seen = try? EventFD() {
            observation.look { seen.signal() }
            Wait.untilReadable([seen.descriptor])
        } else {
            question.problem = question.problem ?? "there are no descriptors"
        }
        question.problem = question.problem ?? observation.record.problem.map { "\($0)" }
        guard !hasEnded else { return ControlAPI.refuse(.notObserved, "the run has ended") }
        let message = question.json
        return Self.answer(
            reader.withLock { reader in
                reader.send(message)
                return reader.receive()
            }
        )
    }

    private static func answer(_ json: JSON?) -> ControlAPI.Answer {
        guard let json else {
            return ControlAPI.refuse(.refused, "the process that reads the packets does not answer")
        }
        guard let kind: ControlAPI.Refusal = json.required("kind"), let message: String = json.required("error") else {
            return ControlAPI.Answer(body: json)
        }
        return ControlAPI.refuse(kind, message)
    }
}
