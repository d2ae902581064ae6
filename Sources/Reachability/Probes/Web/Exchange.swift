// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// One probe over one connection, from connect(2) to the end of the answer.
///
/// All of it happens on the event loop but `cancel`.
final class Exchange: @unchecked Sendable {
    /// What is asked once the connection is there.
    enum Question {
        case session(name: String)
        case web(HTTPQuestion)
    }

    let question: Question
    private let engine: WebEngine
    private let target: SocketAddress
    private let timeout: TimeAmount
    private let done: @Sendable (Observation) -> Void
    private let isOver = Atomic(false)

    private var wire: WireHandler?
    private var last: LastHandler?
    private var deadline: Scheduled<Void>?
    private var phase = Observation.Phase.connect
    private var began = NIODeadline.now()
    private var phaseBegan = NIODeadline.now()
    /// Whether connect(2) itself failed.
    var failedAtOnce = false
    /// What holds unless more is learnt yet.
    private var provisional: Evidence.Finding?
    private var awaitsAlert = false
    private var isHeardAgain = false
    /// What was learnt by the way.
    var observation = Observation(.nothing(.resources))

    init(
        _ question: Question,
        to target: SocketAddress,
        engine: WebEngine,
        timeout: Duration,
        done: @escaping @Sendable (Observation) -> Void
    ) {
        self.question = question
        self.target = target
        self.engine = engine
        self.timeout = TimeAmount(timeout)
        self.done = done
    }

    /// Ends it without a word; on any thread.
    func cancel() {
        guard claim() else { return }
        engine.loop.execute { self.tearDown() }
    }

    /// Connects, and asks.
    func begin() {
        guard !isOver.load(ordering: .acquiring) else { return }
        let session: SessionContexts.Entry?
        do {
            session = try protocols.map(engine.session)
        } catch {
            return finish(.nothing(.resources))
        }
        began = .now()
        phaseBegan = began
        deadline = engine.loop.assumeIsolated().scheduleTask(in: timeout) { self.timeDidPass() }
        connect { try self.fill($0, session) }
    }

    private func connect(_ fill: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void) {
        ClientBootstrap(group: engine.loop)
            // The deadline is our own; this one, ten seconds if not said, must not come before it.
            .connectTimeout(timeout + .hours(1))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // No TIME_WAIT: the port is free again at once (RST).
                    _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                    guard !self.isOver.load(ordering: .acquiring) else { throw ChannelError.ioOnClosedChannel }
                    let pipeline = channel.pipeline.syncOperations
                    let wire = WireHandler(exchange: self)
                    let last = LastHandler(exchange: self)
                    (self.wire, self.last) = (wire, last)
                    try pipeline.addHandler(wire)
                    try fill(pipeline)
                    try pipeline.addHandler(last)
                }
            }
            .connect(to: target)
            .assumeIsolated()
            .whenFailure { self.fail($0) }
    }

    /// The protocols that are offered inside of TLS; nil without TLS.
    private var protocols: [String]? {
        switch question {
        // A service that is not the web may know none of those that one could offer.
        case .session: []
        case .web(let question): question.isSecure ? ["http/1.1"] : nil
        }
    }

    private func fill(_ pipeline: ChannelPipeline.SynchronousOperations, _ session: SessionContexts.Entry?) throws {
        if let session { try SessionHandler.add(to: pipeline, session, exchange: self) }
        if case .web(let question) = question { try WebHandler.add(to: pipeline, question, exchange: self) }
    }

    /// Connects once more, to see the whole chain of a certificate that is not trusted: from the first handshake only
    /// the server's own can be had. If one of its issuers has ended or not begun, that is why.
    func lookAtChain(_ context: NIOSSLContext, host: String?, else finding: Evidence.Finding) {
        provisional = finding
        last?.exchange = nil
        wire?.cut()
        connect { pipeline in
            let tls = try NIOSSLClientHandler(context: context, serverHostname: host) {
                (chain: [NIOSSLCertificate], promise: EventLoopPromise<NIOSSLVerificationResult>) in
                let issuers = chain.dropFirst().compactMap { (try? $0.toDERBytes()).flatMap { Certificate($0) } }
                // Not from within the handshake.
                self.engine.loop.execute { self.judge(issuers) }
                promise.succeed(NIOSSLVerificationResult.failed)
            }
            try pipeline.addHandler(tls)
        }
    }

    private func judge(_ issuers: [Certificate]) {
        let fault = issuers.lazy.compactMap { CertificateFault(issuer: $0, now: Int64(time(nil))) }.first
        if let fault { observation.detail = fault.detail }
        if let fault { finish(.failed(fault.reason)) } else { ended() }
    }

    /// Moves on to the next part.
    func enter(_ next: Observation.Phase) {
        guard next != phase else { return }
        let now = NIODeadline.now()
        observation.phases[phase] = Duration(now - phaseBegan)
        (phase, phaseBegan) = (next, now)
    }

    /// How long it has taken so far.
    var elapsed: Duration { Duration(NIODeadline.now() - began) }

    /// Answers, unless an alert comes with the next bytes.
    ///
    /// In TLS 1.3 a client has finished before its certificate, or the want of one, is looked at (RFC 8446, 4.4.2.4).
    /// Most servers send tickets then. For others we wait as long as an alert should take.
    func answerUnlessRefused() {
        let finding = Evidence.Finding.answered(elapsed)
        provisional = finding
        awaitsAlert = true
        enter(.processing)
        let wait = TimeAmount(observation.phases[.connect, default: .zero] * 2) + .milliseconds(100)
        engine.loop.assumeIsolated().scheduleTask(in: wait) { self.finish(finding) }
    }

    /// Bytes go into the handlers.
    func bytesArrive() { isHeardAgain = awaitsAlert }

    /// Whatever has arrived has gone through all handlers.
    func bytesWereHandled() {
        if isHeardAgain, let provisional { finish(provisional) }
    }

    /// The connection has ended without a reason that is known already.
    func ended() {
        finish(provisional ?? .failed(.closedEarly))
    }

    /// An error of the connection, or of what is spoken over it.
    func fail(_ error: any Error) {
        if let error = error as? IOError {
            observation.errorNumber = error.errnoCode
            let isSilence = phase != .connect && error.errnoCode == ETIMEDOUT
            // With the certificate accepted, how the connection ends does not matter.
            let finding = provisional ?? (isSilence ? .failed(.halfOpen) : nil)
            finish(finding ?? .connectionFailure(error.errnoCode, atOnce: failedAtOnce, after: elapsed))
        } else if phase == .connect {
            // There can be no such connection: the name is none.
            finish(.nothing(.unsupported))
        } else if let failure = SessionFailure(error), provisional == nil || awaitsAlert {
            if observation.detail == nil { observation.detail = failure.detail }
            finish(.failed(failure.reason))
        } else {
            ended()
        }
    }

    /// Tells what was found, once.
    func finish(_ finding: Evidence.Finding) {
        guard claim() else { return }
        if !awaitsAlert { observation.phases[phase] = Duration(NIODeadline.now() - phaseBegan) }
        observation.finding = finding
        tearDown()
        done(observation)
    }

    private func timeDidPass() {
        switch phase {
        case .resolve, .connect: finish(.failed(.blackHole))
        case .tls: finish(provisional ?? .failed(.tlsTimeout))
        case .processing: finish(provisional ?? .failed(.firstByteTimeout))
        case .transfer: finish(.failed(.bodyTimeout))
        }
    }

    private func claim() -> Bool {
        isOver.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    private func tearDown() {
        deadline?.cancel()
        deadline = nil
        wire?.cut()
        (wire, last) = (nil, nil)
    }
}
