// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import NIOCore
internal import PacketPump
internal import SandboxClient

/// Gets verdicts for clients of the control socket from the process that reads the packets of the run, which has read most
/// of them before: this process, which has rights over the network, parses no packets.
///
/// A verdict waits until the link has delivered what was sent before the request. Used on the event loop only.
final class JudgeRelay {
    /// Requests that may wait at the same time.
    private static let mostWaiting = 32
    /// How long to wait for packets on a slow link.
    private static let patience = Duration.seconds(10)
    /// What is added to the time that a link takes to answer what was delivered.
    private static let answerTime = Duration.milliseconds(100)
    /// The time between two looks at the link: at first, and at most.
    private static let pauses = (first: TimeAmount.milliseconds(2), longest: TimeAmount.milliseconds(20))
    /// The time between two looks of the reading process at what is expected.
    private static let ownInterval = Duration.milliseconds(200)
    /// That process works at most in one of so many parts of the time: the pump and the client need the processor.
    private static let ownShare = 4

    /// Where the reading process is asked, and answers.
    private let channel: PumpChannel
    private let conditions: SandboxConditions
    private let observation: RunObservation
    private let loop: any EventLoop

    typealias Respond = (ControlAPI.Answer) -> Void

    private var waiting = 0
    /// Questions that are ready to be asked, one after the other.
    private var questions = CircularBuffer<(question: JudgeQuestion, respond: Respond)>()
    private var isAsking = false
    private var hasEnded = false

    init(
        _ channel: PumpChannel,
        _ conditions: SandboxConditions,
        _ observation: RunObservation,
        on loop: any EventLoop
    ) {
        (self.channel, self.conditions, self.observation, self.loop) = (channel, conditions, observation, loop)
    }

    /// A request that waits for the link.
    private struct Waiting {
        let request: JudgeRequest
        let end: Instant
        let open: [RunRecord.OpenSocket]
        /// Those of the process that the request is about.
        let ancestors: [Int32]
        let start = ContinuousClock.now
        /// What was sent before the request was seen before this moment, in nanoseconds.
        var settled: Int64?
        /// How long the link took to deliver that; nil as long as it has not.
        var crossing: Duration?
        var pause = pauses.first
        let respond: Respond
    }

    /// Judges a part of the run.
    func judge(_ request: JudgeRequest, then respond: @escaping Respond) {
        guard waiting < Self.mostWaiting else {
            return respond(ControlAPI.refuse(.busy, "too many verdicts are asked for at the same time"))
        }
        waiting += 1
        let respond = { [self] (answer: ControlAPI.Answer) in
            waiting -= 1
            respond(answer)
        }
        let now = Instant.now
        let end = min(request.end ?? now, now)
        guard !request.isLive else { return ask(request, then: respond) }
        // A look at all processes takes long.
        onThread({
            (open: OpenSockets.current(), ancestors: Self.ancestors(request))
        }) { [self] now in
            awaitDelivery(
                Waiting(request: request, end: end, open: now.open, ancestors: now.ancestors, respond: respond)
            )
        }
    }

    /// Lets the reading process look again and again at what is known so far.
    ///
    /// - Parameter duration: how long the last look took.
    func keepAsking(after duration: Duration = .zero) {
        let pause = max(Self.ownInterval, duration * Self.ownShare)
        loop.scheduleTask(in: .nanoseconds(Int64(pause / .nanoseconds(1)))) { [bound = bound] in
            let relay = bound.value
            guard !relay.hasEnded else { return }
            let start = ContinuousClock.now
            relay.ask(nil) { _ in relay.keepAsking(after: start.duration(to: .now)) }
        }
    }

    /// Asks no more.
    func stop() { hasEnded = true }

    /// Waits until the link holds nothing, or has delivered what was sent before the request and had the time to bring
    /// answers to that, or for ``patience``.
    private func awaitDelivery(_ wait: Waiting) {
        // What the pump says at its end is for the supervisor.
        guard !hasEnded else { return wait.respond(Self.ended) }
        var wait = wait
        let state: PumpProcess.CaptureState
        do {
            state = try conditions.flushCapture()
        } catch {
            return wait.respond(ControlAPI.refuse(.refused, error.message))
        }
        let elapsed = wait.start.duration(to: .now)
        let settled = wait.settled ?? state.settled
        wait.settled = settled
        if wait.crossing == nil, state.written >= settled { wait.crossing = elapsed }
        let isAnswered = wait.crossing.map { elapsed >= $0 * 2 + Self.answerTime } ?? false
        guard state.held == 0 || isAnswered || elapsed >= Self.patience else {
            let pause = wait.pause
            wait.pause = min(pause + pause, Self.pauses.longest)
            loop.scheduleTask(in: pause) { [bound = bound, box = NIOLoopBound(wait, eventLoop: loop)] in
                bound.value.awaitDelivery(box.value)
            }
            return
        }
        var question = JudgeQuestion(wait.request, end: wait.end, known: Instant(nanoseconds: state.written))
        (question.open, question.ancestors) = (wait.open, wait.ancestors)
        if wait.crossing == nil { question.held = state.held }
        sample(question, wait.respond)
    }

    /// Asks about what is known now.
    private func ask(_ request: JudgeRequest?, then respond: @escaping Respond) {
        guard !hasEnded else { return respond(Self.ended) }
        do {
            let known = Instant(nanoseconds: try conditions.flushCapture().written)
            var question = JudgeQuestion(request, end: known, known: known)
            question.ancestors = Self.ancestors(request)
            sample(question, respond)
        } catch {
            respond(ControlAPI.refuse(.refused, error.message))
        }
    }

    /// Asks when the sockets have been sampled.
    private func sample(_ question: JudgeQuestion, _ respond: @escaping Respond) {
        let box = NIOLoopBound((relay: self, question: question, respond: respond), eventLoop: loop)
        observation.look { [loop] in
            loop.execute {
                let (relay, question, respond) = box.value
                relay.questions.append((question, respond))
                relay.askNext()
            }
        }
    }

    private func askNext() {
        guard !isAsking, let (question, respond) = questions.popFirst() else { return }
        guard !hasEnded else { return respond(Self.ended) }
        isAsking = true
        let (channel, message) = (channel, question.json)
        onThread {
            channel.send(message)
            return channel.receive()
        } then: { [self] answer in
            isAsking = false
            respond(Self.answer(answer))
            askNext()
        }
    }

    /// The processes above the one that a request is about.
    private static func ancestors(_ request: JudgeRequest?) -> [Int32] {
        request?.scope.process.map { SocketHolder.ancestors(of: $0, below: getpid()) } ?? []
    }

    private static var ended: ControlAPI.Answer { ControlAPI.refuse(.notObserved, "the run has ended") }

    private static func answer(_ json: JSON?) -> ControlAPI.Answer {
        guard let json else {
            return ControlAPI.refuse(.refused, "the process that reads the packets does not answer")
        }
        guard let kind: ControlAPI.Refusal = json.required("kind"), let message: String = json.required("error") else {
            return ControlAPI.Answer(body: json)
        }
        return ControlAPI.refuse(kind, message)
    }

    private var bound: NIOLoopBound<JudgeRelay> { NIOLoopBound(self, eventLoop: loop) }

    /// Calls `body` on a thread of its own, and `then` with its result on the event loop, which has other clients to serve.
    private func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result,
        then: @escaping (Result) -> Void
    ) {
        let box = NIOLoopBound(then, eventLoop: loop)
        do {
            try PosixThread.detach { [loop] in
                let result = body()
                loop.execute { box.value(result) }
            }
        } catch {
            then(body())
        }
    }
}
