// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import Netlink

/// A TLS handshake, or an HTTP request with or without TLS, over a connection of its own: from connect(2) to the end of
/// the answer.
final class WebProbe: ProbeWork {
    /// What is asked once the connection is there.
    enum Question {
        case session(name: String)
        case web(HTTPQuestion)
    }

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
    private var parser = HTTPResponseParser()
    private var answer: WebAnswer?
    /// What holds unless an alert follows.
    private var provisional: Evidence.Finding?
    private var provisionalEnd: Int64 = 0
    private var buffer: [UInt8] = []
    private(set) var descriptor: ProbeSocket?

    /// - Parameter context: the settings of TLS; nil for a question without TLS, or where there are none to be had.
    init(_ question: Question, _ address: IPAddress, _ port: UInt16, _ context: TLSContext?) {
        self.question = question
        self.address = address
        self.port = port
        self.context = context
    }

    func begin(_ now: Int64) throws(DescriptorShortage) -> Step {
        (start, phaseStart) = (now, now)
        let socket: ProbeSocket
        do throws(SocketRefusal) {
            socket = try ProbeSocket(lc_tcp, address.family)
        } catch {
            return .end(try error.observation(to: address))
        }
        descriptor = socket
        if let name = secureName {
            guard let context else { return .end(Observation(.nothing(.resources))) }
            // A service that is not the web may know none of the protocols that one could offer.
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

    func proceed(_ what: Int, _ now: Int64) -> Step {
        guard let socket = descriptor else { return .stay }
        switch phase {
        case .resolve, .connect:
            if let failure = socket.failure(address.family, after: .nanoseconds(now - start)) {
                return end(failure, now)
            }
            if what & lc_failed != 0 { return end(.failed(.reset), now) }
            return connected(now)
        case .tls: return handshake(now)
        case .processing, .transfer:
            return provisional == nil ? exchange(what, now) : listen(what, now)
        }
    }

    func wake(_ now: Int64) -> Step {
        guard let provisional else { return phase == .processing || phase == .transfer ? exchange(0, now) : .stay }
        return now >= provisionalEnd ? end(provisional, now) : .stay
    }

    func timeOut() -> Observation {
        let now = lc_monotonic_time()
        let finding: Evidence.Finding =
            switch phase {
            case .resolve, .connect: .failed(.blackHole)
            case .tls: .failed(.tlsTimeout)
            case .processing: provisional ?? .failed(.firstByteTimeout)
            case .transfer: .failed(.bodyTimeout)
            }
        guard case .end(let observation) = end(finding, now) else { return Observation(finding) }
        return observation
    }

    /// The name that the certificate must be for; nil without TLS.
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

    private func connected(_ now: Int64) -> Step {
        guard session == nil else {
            enter(.tls, now)
            return handshake(now)
        }
        return ask(now)
    }

    private func handshake(_ now: Int64) -> Step {
        guard let session else { return .stay }
        let result = session.handshake()
        observation.certificateEnd = session.certificateEnd
        // Judged within the handshake, whatever became of that afterwards.
        if let fault = session.fault {
            observation.detail = fault.detail
            return end(session.finding(fault), lc_monotonic_time())
        }
        switch result {
        case .wait(let what): return .wait(what)
        case .done: break
        case .closed, .socketError, .failed: return end(result, now)
        }
        observation.tlsVersion = session.version
        guard case .session = question else { return ask(lc_monotonic_time()) }
        let done = lc_monotonic_time()
        let finding = Evidence.Finding.answered(.nanoseconds(done - start))
        guard session.version == "TLSv1.3" else { return end(finding, done) }
        // In TLS 1.3 a client has finished before the server looks at its certificate, or the lack of one (RFC 8446,
        // 4.4.2.4). Most servers send tickets then; others get as long as an alert should take.
        provisional = finding
        enter(.processing, done)
        let wait = observation.phases[.connect, default: .zero] * 2 + .milliseconds(100)
        provisionalEnd = done + wait.nanoseconds
        return .waitUntil(lc_readable, provisionalEnd)
    }

    /// Waits for an alert after a handshake: whatever else comes shows that there is none.
    private func listen(_ what: Int, _ now: Int64) -> Step {
        guard let session, let provisional, what & (lc_readable | lc_failed) != 0 else { return .stay }
        buffer = [UInt8](repeating: 0, count: 4096)
        if case .failed(let failure) = session.read(&buffer), failure != .closed {
            return end(.failed(failure), now)
        }
        return end(provisional, now)
    }

    private func ask(_ now: Int64) -> Step {
        guard case .web(let question) = question else { return .stay }
        enter(.processing, now)
        request = question.request[...]
        return exchange(0, now)
    }

    /// Sends what is left of the request, and takes what has come of the answer.
    private func exchange(_ what: Int, _ now: Int64) -> Step {
        while !request.isEmpty {
            switch write(request) {
            case .done(let count): request = request.dropFirst(count)
            case .wait(let what): return .wait(what)
            // What the server said before it closed may still be there to read.
            case .socketError(EPIPE), .socketError(ECONNRESET): request = []
            case let failure: return end(failure, now)
            }
        }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: 16_384) }
        // Bounded, so that a server that never stops sending does not hold up the other probes.
        for _ in 0..<16 {
            let result = read()
            switch result {
            case .done(let count):
                enter(.transfer, now)
                if let step = take(buffer[..<count], now) { return step }
            case .wait(let next):
                // An ICMP error makes the socket ready, too.
                if what & lc_failed != 0, let socket = descriptor,
                    let failure = socket.failure(address.family, after: .nanoseconds(now - start))
                {
                    return end(failure, now)
                }
                return .wait(next)
            case .closed:
                if parser.takeEnd(), let step = take(.end, now) { return step }
                return end(.failed(.closedEarly), now)
            case .failed(.closed):
                // An end without close_notify is still one: what came before it was authenticated.
                if parser.takeEnd(), let step = take(.end, now) { return step }
                return end(.failed(.closedEarly), now)
            case .socketError, .failed: return end(result, now)
            }
        }
        return .waitUntil(lc_readable, now + 1)
    }

    private func take(_ bytes: ArraySlice<UInt8>, _ now: Int64) -> Step? {
        do throws(HTTPResponseParser.Malformation) {
            for part in try parser.take(bytes) {
                if let step = take(part, now) { return step }
            }
            return nil
        } catch {
            return end(.failed(.malformed), now)
        }
    }

    private func take(_ part: HTTPResponseParser.Part, _ now: Int64) -> Step? {
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

    private func end(_ result: TLSSession.Result, _ now: Int64) -> Step {
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

    private func end(_ failure: Observation, _ now: Int64) -> Step {
        observation.offender = failure.offender
        observation.errorNumber = failure.errorNumber
        observation.icmp = failure.icmp
        let isSilence = phase != .connect && failure.errorNumber == ETIMEDOUT
        return end(isSilence ? .failed(.halfOpen) : failure.finding, now)
    }

    private func end(_ finding: Evidence.Finding, _ now: Int64) -> Step {
        // The wait for an alert is no part of the answer.
        if provisional == nil { observation.phases[phase] = .nanoseconds(now - phaseStart) }
        observation.finding = finding
        return .end(observation)
    }

    private func read() -> TLSSession.Result {
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
