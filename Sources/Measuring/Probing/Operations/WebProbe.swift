// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses

/// A TLS handshake, or an HTTP request with or without TLS, on a new connection: from connect(2) to the end of the
/// response.
final class WebProbe: ProbeWork {
    /// What to do once the connection is established.
    enum Question {
        case session(name: String)
        case web(HTTPQuestion)
    }

    /// The size of a read in bytes, the maximum number of reads in one turn, and the time in nanoseconds after which a
    /// turn reads no further: how long bytes take to parse depends on the form of the response.
    private static let readSize = 1024
    private static let readsPerTurn = 64
    private static let turn: Int64 = 250_000

    private let question: Question
    private let address: IPAddress
    private let port: UInt16
    private let context: TLSContext?
    private var session: TLSSession?
    private var start: Int64 = 0
    private var phaseStart: Int64 = 0
    private var phase = Observation.Phase.connect
    private var observation = Observation(.nothing(.resources))
    private var request: ArraySlice<UInt8> = []
    /// The errno with which sending the request failed, EPIPE or ECONNRESET; 0 if it did not fail.
    private var sendError: Int32 = 0
    private var parser = HTTPResponseParser()
    private var answer: WebAnswer?
    /// The finding of a completed TLS handshake, unless an alert follows.
    private var provisional: Observation.Finding?
    private var provisionalEnd: Int64 = 0
    private var buffer: [UInt8] = []
    private(set) var descriptor: ProbeSocket?

    /// - Parameter context: the settings for TLS; nil for HTTP without TLS, or if they could not be made.
    init(_ question: Question, _ address: IPAddress, _ port: UInt16, _ context: TLSContext?) {
        (self.question, self.address, self.port, self.context) = (question, address, port, context)
    }

    func begin(_ now: Int64, over interface: String?) throws(SocketRefusal) -> ProbeStep {
        (start, phaseStart) = (now, now)
        let socket = try ProbeSocket(lc_tcp, to: address, over: interface)
        descriptor = socket
        if let name = secureName {
            guard let context else { return .end(Observation(.nothing(.resources))) }
            // Offers a protocol (ALPN) for HTTP only: another service may support none that this client could offer.
            let protocols = if case .web = question { ["http/1.1"] } else { [String]() }
            session = TLSSession(context, socket.descriptor, name: name, protocols: protocols)
            guard session != nil else { return .end(Observation(.nothing(.unsupported))) }
        }
        return switch socket.connect(to: address, port) {
        case 0: connected(now)
        case EINPROGRESS: .wait(lc_writable)
        case let number: .end(Observation(atOnce: number, to: address))
        }
    }

    func proceed(_ events: Int, _ now: Int64) -> ProbeStep {
        guard let socket = descriptor else { return .stay }
        switch phase {
        case .resolve, .connect:
            if let failure = socket.failure(address.family, after: .nanoseconds(now - start)) {
                return end(failure, now)
            }
            if events & lc_failed != 0 { return end(.failed(.reset), now) }
            return connected(now)
        case .tls: return handshake(now)
        case .processing, .transfer:
            return provisional == nil ? sendAndReceive(events, now) : awaitAlert(events, now)
        }
    }

    func wake(_ now: Int64) -> ProbeStep {
        guard let provisional else {
            return phase == .processing || phase == .transfer ? sendAndReceive(0, now) : .stay
        }
        return now >= provisionalEnd ? end(provisional, now) : .stay
    }

    func timeOut() -> Observation {
        let now = lc_monotonic_time()
        let finding: Observation.Finding =
            switch phase {
            case .resolve, .connect: .failed(.blackHole)
            case .tls: .failed(.tlsTimeout)
            case .processing: provisional ?? .failed(.firstByteTimeout)
            case .transfer: .failed(.bodyTimeout)
            }
        guard case .end(let observation) = end(finding, now) else { return Observation(finding) }
        return observation
    }

    /// The name that the certificate must have; nil without TLS.
    private var secureName: String? {
        switch question {
        case .session(let name): name
        case .web(let question): question.isSecure ? question.host : nil
        }
    }

    private func enter(_ next: Observation.Phase, _ now: Int64) {
        guard next != phase else { return }
        observation.phases[phase] = .nanoseconds(now - phaseStart)
        (phase, phaseStart) = (next, now)
    }

    private func connected(_ now: Int64) -> ProbeStep {
        guard session == nil else {
            enter(.tls, now)
            return handshake(now)
        }
        return sendRequest(now)
    }

    private func handshake(_ now: Int64) -> ProbeStep {
        guard let session else { return .stay }
        let result = session.handshake()
        observation.certificateEnd = session.certificateEnd
        // A fault of the certificate counts however the handshake ended.
        if let fault = session.fault {
            observation.detail = fault.detail
            return end(session.finding(fault), lc_monotonic_time())
        }
        switch result {
        case .wait(let event): return .wait(event)
        case .done: break
        case .closed, .socketError, .failed: return end(result, now)
        }
        observation.tlsVersion = session.version
        guard case .session = question else { return sendRequest(lc_monotonic_time()) }
        let done = lc_monotonic_time()
        let finding = Observation.Finding.answered(.nanoseconds(done - start))
        guard session.version == "TLSv1.3" else { return end(finding, done) }
        // In TLS 1.3 the client completes the handshake before the server checks the client's certificate, or the lack
        // of one (RFC 8446, 4.4.2.4). Most servers then send session tickets, which end the wait; for other servers it
        // lasts as long as an alert should take to arrive.
        provisional = finding
        enter(.processing, done)
        let wait = observation.phases[.connect, default: .zero] * 2 + .milliseconds(100)
        provisionalEnd = done + wait.wholeNanoseconds
        return .wait(lc_readable, until: provisionalEnd)
    }

    /// Waits for an alert after the handshake; any other event shows that none follows.
    private func awaitAlert(_ events: Int, _ now: Int64) -> ProbeStep {
        guard let session, let provisional, events & (lc_readable | lc_failed) != 0 else { return .stay }
        buffer = [UInt8](repeating: 0, count: 4096)
        if case .failed(let failure) = session.read(&buffer), failure != .closed {
            return end(.failed(failure), now)
        }
        return end(provisional, now)
    }

    private func sendRequest(_ now: Int64) -> ProbeStep {
        guard case .web(let question) = question else { return .stay }
        enter(.processing, now)
        request = question.request[...]
        return sendAndReceive(0, now)
    }

    /// Sends the rest of the request, and reads the part of the response that has arrived.
    private func sendAndReceive(_ events: Int, _ now: Int64) -> ProbeStep {
        while !request.isEmpty {
            switch write(request) {
            case .done(let count): request = request.dropFirst(count)
            case .wait(let event): return .wait(event)
            // A response that the server sent before it closed the connection may still be readable.
            case .socketError(let number) where number == EPIPE || number == ECONNRESET:
                request = []
                sendError = number
            case let failure: return end(failure, now)
            }
        }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.readSize) }
        // Limits the reads, so that a server that never stops sending does not delay the other probes.
        let turnEnd = lc_monotonic_time() + Self.turn
        for read in 0..<Self.readsPerTurn where read == 0 || lc_monotonic_time() < turnEnd {
            let result = receive()
            switch result {
            case .done(let count):
                enter(.transfer, now)
                if let step = process(buffer[..<count], now) { return step }
            case .wait(let next):
                // An ICMP error makes the socket ready, too.
                if events & lc_failed != 0, let socket = descriptor,
                    let failure = socket.failure(address.family, after: .nanoseconds(now - start))
                {
                    return end(failure, now)
                }
                return .wait(next)
            // The end of the connection counts even without close_notify: the data before it was authenticated.
            case .closed, .failed(.closed):
                if parser.finish(), let step = process(.end, now) { return step }
                // The kernel reports a reset only once (net/core/sock.c, sock_error); sending has already received that
                // report.
                if case .closed = result, sendError == ECONNRESET { return end(.socketError(ECONNRESET), now) }
                return end(.failed(.closedEarly), now)
            case .socketError, .failed: return end(result, now)
            }
        }
        // The socket may still be readable. Bytes that the TLS session has already decrypted cause no event, so a timer
        // continues.
        return .wait(lc_readable, until: session == nil ? nil : now + 1)
    }

    private func process(_ bytes: ArraySlice<UInt8>, _ now: Int64) -> ProbeStep? {
        do throws(HTTPResponseParser.Malformation) {
            for part in try parser.parse(bytes) {
                if let step = process(part, now) { return step }
            }
            return nil
        } catch {
            return end(.failed(.malformed), now)
        }
    }

    private func process(_ part: HTTPResponseParser.Part, _ now: Int64) -> ProbeStep? {
        guard case .web(let question) = question else { return nil }
        switch part {
        case .head(let status, let location):
            observation.status = status
            observation.location = location
            answer = WebAnswer(to: question, status: status)
        case .body(let bytes): answer?.add(bytes)
        case .end: answer?.isComplete = true
        }
        return switch answer?.judgement {
        case .good: end(.answered(.nanoseconds(now - start)), now)
        case .bad(let reason): end(.failed(reason), now)
        case .open, nil: nil
        }
    }

    private func end(_ result: TLSSession.Result, _ now: Int64) -> ProbeStep {
        switch result {
        case .done, .wait: return .stay
        case .closed: return end(.failed(.closedEarly), now)
        case .failed(let failure):
            if observation.detail == nil { observation.detail = failure.detail }
            return end(.failed(failure.reason), now)
        case .socketError(let number):
            observation.errorNumber = number
            if number == ETIMEDOUT { return end(.failed(.halfOpen), now) }
            return end(KernelAnswer.later(number, after: .nanoseconds(now - start)), now)
        }
    }

    private func end(_ failure: Observation, _ now: Int64) -> ProbeStep {
        observation.offender = failure.offender
        observation.errorNumber = failure.errorNumber
        observation.icmp = failure.icmp
        let isSilence = phase != .connect && failure.errorNumber == ETIMEDOUT
        return end(isSilence ? .failed(.halfOpen) : failure.finding, now)
    }

    private func end(_ finding: Observation.Finding, _ now: Int64) -> ProbeStep {
        // The time of the wait for an alert is not counted.
        if provisional == nil { observation.phases[phase] = .nanoseconds(now - phaseStart) }
        observation.finding = finding
        return .end(observation)
    }

    private func receive() -> TLSSession.Result {
        if let session { return session.read(&buffer) }
        guard let socket = descriptor else { return .closed }
        let count = recv(socket.descriptor, &buffer, buffer.count, 0)
        if count > 0 { return .done(count) }
        if count == 0 { return .closed }
        return errno == EAGAIN || errno == EINTR ? .wait(lc_readable) : .socketError(errno)
    }

    private func write(_ bytes: ArraySlice<UInt8>) -> TLSSession.Result {
        if let session { return session.write(bytes) }
        guard let socket = descriptor else { return .closed }
        let count = bytes.withUnsafeBytes { send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return .done(count) }
        return errno == EAGAIN || errno == EINTR ? .wait(lc_writable) : .socketError(errno)
    }
}
