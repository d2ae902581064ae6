// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses

/// One query to one DNS server, over UDP. It is repeated without EDNS if the server rejects EDNS, and over TCP if the
/// response is truncated, may be forged, or TCP was requested. It is not repeated after silence, since silence is a
/// finding.
final class DNSExchange: ProbeWork {
    /// The maximum number of reads in one turn: a server that never stops sending must not delay the other probes.
    private static let readsPerTurn = 16
    /// The number of messages that are ignored because they do not match the query. After this many over UDP, the next
    /// one may be a lucky guess (RFC 5452, section 9), so the query is repeated over TCP; over TCP, all messages come
    /// from the server, and the response counts as malformed.
    static let maximumStrangers = 32

    private let question: DNSQuestion
    private let server: IPAddress
    private let port: UInt16
    private var overTCP: Bool
    private var query: DNSQuery?
    private var start: Int64 = 0
    private var interface: String?
    private var isConnected = false
    private var stream = DNSMessageBuffer()
    private var sawNonsense = false
    private var strangers = 0
    /// The reason why the query was repeated over TCP although its response would fit UDP; nil if it was not.
    private var distrust: String?
    private(set) var descriptor: ProbeSocket?

    init(_ question: DNSQuestion, server: IPAddress, port: UInt16, overTCP: Bool) {
        (self.question, self.server, self.port, self.overTCP) = (question, server, port, overTCP)
    }

    func begin(_ now: Int64, over interface: String?) throws(SocketRefusal) -> ProbeStep {
        (start, self.interface) = (now, interface)
        return try ask(hasExtension: true)
    }

    func proceed(_ what: Int, _ now: Int64) -> ProbeStep {
        guard let socket = descriptor, let query else { return .stay }
        if overTCP, !isConnected { return finishConnecting(socket, query, what, now) }
        if what & lc_readable != 0 {
            var buffer = [UInt8](repeating: 0, count: overTCP ? 16_384 : 65_535)
            for _ in 0..<Self.readsPerTurn {
                let count = read(socket.descriptor, &buffer, buffer.count)
                if count < 0 { break }
                if let step = process(buffer[..<count], to: query, now) { return step }
            }
        }
        guard let failure = socket.failure(server.family, after: .nanoseconds(now - start)) else { return .stay }
        return .end(unreachable(failure))
    }

    func timeOut() -> Observation {
        guard !overTCP || isConnected else { return unreachable(Observation(.failed(.blackHole))) }
        var observation = Observation(.failed(sawNonsense ? .malformedAnswer : .queryTimeout))
        observation.detail = distrust ?? ignored
        return observation
    }

    /// Sends a new query on a new socket, and so from a new port.
    private func ask(hasExtension: Bool) throws(SocketRefusal) -> ProbeStep {
        var generator = SystemRandomNumberGenerator()
        guard let query = DNSQuery(question, hasExtension: hasExtension, using: &generator) else {
            return .end(Observation(.impossible(.invalidName)))
        }
        let socket: ProbeSocket
        do throws(SocketRefusal) {
            socket = try ProbeSocket(overTCP ? lc_tcp : lc_udp, to: server, over: interface)
        } catch  where error.isShortage {
            throw error
        } catch {
            return .end(unreachable(error.observation))
        }
        (self.query, descriptor, isConnected, stream) = (query, socket, false, DNSMessageBuffer())
        let result = socket.connect(to: server, port)
        if overTCP, result == EINPROGRESS { return .wait(lc_writable) }
        guard result == 0 else { return .end(unreachable(Observation(atOnce: result, to: server))) }
        isConnected = true
        return send(query, socket)
    }

    private func finishConnecting(_ socket: ProbeSocket, _ query: DNSQuery, _ what: Int, _ now: Int64) -> ProbeStep {
        if let failure = socket.failure(server.family, after: .nanoseconds(now - start)) {
            return .end(unreachable(failure))
        }
        guard what & lc_failed == 0 else { return .end(unreachable(Observation(.failed(.reset)))) }
        isConnected = true
        return send(query, socket)
    }

    private func send(_ query: DNSQuery, _ socket: ProbeSocket) -> ProbeStep {
        var bytes = query.bytes
        if overTCP { bytes.insert(contentsOf: [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)], at: 0) }
        guard Glibc.send(socket.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            return .end(unreachable(Observation(atOnce: errno, to: server)))
        }
        return .wait(lc_readable)
    }

    /// Processes a datagram, or bytes of a stream; returns the next step, or nil to keep waiting.
    private func process(_ received: ArraySlice<UInt8>, to query: DNSQuery, _ now: Int64) -> ProbeStep? {
        guard overTCP else { return process(Array(received), to: query, now) }
        if received.isEmpty { return end(.failed(.closedEarly), now) }
        stream.append(received)
        while let message = stream.next() {
            if let step = process(message, to: query, now) { return step }
        }
        return nil
    }

    /// Processes a message; returns the next step, or nil to keep waiting.
    private func process(_ message: [UInt8], to query: DNSQuery, _ now: Int64) -> ProbeStep? {
        switch DNSAnswer.read(message, to: query) {
        case .other: return ignore(now)
        case .malformed:
            sawNonsense = true
            // Over UDP, the message may be forged, and the genuine response may still arrive.
            return overTCP ? end(.failed(.malformedAnswer), now) : ignore(now)
        case .answer(let answer) where !answer.keepsCase && !overTCP:
            // The response is forged, or the server does not preserve the case of names.
            return askOverTCP("the answer over UDP spells the name in another way", now)
        case .answer(let answer):
            let refusesExtension =
                query.hasExtension && [DNSAnswer.Code.formatError, DNSAnswer.Code.notImplemented].contains(answer.code)
            guard refusesExtension || answer.isTruncated && !overTCP else {
                return .end(Observation(answer, after: .nanoseconds(now - start)))
            }
            overTCP = overTCP || answer.isTruncated
            return askAgain(hasExtension: !refusesExtension && query.hasExtension, now)
        }
    }

    /// Counts a message that does not match the query, and ignores it unless there were too many.
    private func ignore(_ now: Int64) -> ProbeStep? {
        strangers += 1
        guard strangers % Self.maximumStrangers == 0 else { return nil }
        if overTCP { return end(.failed(.malformedAnswer), now) }
        return askOverTCP(ignored, now)
    }

    private var ignored: String? {
        strangers == 0 ? nil : "ignored \(strangers) messages that did not belong to the query"
    }

    private func askOverTCP(_ reason: String?, _ now: Int64) -> ProbeStep {
        (overTCP, distrust) = (true, reason)
        return askAgain(hasExtension: query?.hasExtension ?? true, now)
    }

    private func askAgain(hasExtension: Bool, _ now: Int64) -> ProbeStep {
        do throws(SocketRefusal) {
            return try ask(hasExtension: hasExtension)
        } catch {
            return end(.nothing(.resources), now)
        }
    }

    private func end(_ finding: Observation.Finding, _ now: Int64) -> ProbeStep {
        var observation = Observation(finding)
        observation.phases[.resolve] = .nanoseconds(now - start)
        observation.detail = distrust ?? ignored
        return .end(observation)
    }

    /// The observation about the name if the server could not be reached. A problem of this process is returned
    /// unchanged.
    private func unreachable(_ observation: Observation) -> Observation {
        let reason: Reason
        switch observation.finding {
        case .nothing, .answered: return observation
        case .failed(let failure), .impossible(let failure): reason = failure
        }
        var result = observation
        // A server that answered over UDP is not unreachable.
        result.finding = .failed(distrust == nil ? .serverUnreachable : .malformedAnswer)
        result.detail = distrust.map { "\($0); over TCP: \(reason)" } ?? reason.description
        return result
    }
}
