// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import Netlink

/// One question to one DNS server: over UDP, again without EDNS where the server knows nothing of that, over TCP
/// where the answer does not fit or is asked for so. Nothing is sent twice because of silence: that is a finding.
final class DNSExchange: ProbeWork {
    private let question: DNSQuestion
    private let server: IPAddress
    private let port: UInt16
    private var overTCP: Bool
    private var query: DNSQuery?
    private var start: Int64 = 0
    private var isConnected = false
    private var stream: [UInt8] = []
    private var sawNonsense = false
    private var others = 0
    private(set) var descriptor: ProbeSocket?

    init(_ question: DNSQuestion, server: IPAddress, port: UInt16, overTCP: Bool) {
        self.question = question
        self.server = server
        self.port = port
        self.overTCP = overTCP
    }

    func begin(_ now: Int64) throws(DescriptorShortage) -> Step {
        start = now
        return try ask(hasExtension: true)
    }

    func proceed(_ what: Int, _ now: Int64) -> Step {
        guard let socket = descriptor, let query else { return .stay }
        if overTCP, !isConnected { return finishConnecting(socket, query, what, now) }
        while what & lc_readable != 0 {
            var buffer = [UInt8](repeating: 0, count: 65_535)
            let count = read(socket.descriptor, &buffer, buffer.count)
            if count < 0 { break }
            let received = buffer.prefix(count)
            guard overTCP else {
                if let step = take(Array(received), to: query, now) { return step }
                continue
            }
            if received.isEmpty { return end(.failed(.closedEarly), now) }
            stream += received
            while let message = nextMessage() {
                if let step = take(message, to: query, now) { return step }
            }
        }
        guard let failure = socket.failure(server.family, after: .nanoseconds(now - start)) else { return .stay }
        return .end(unreachable(failure))
    }

    func timeOut() -> Observation {
        var observation = Observation(.failed(sawNonsense ? .malformedAnswer : .queryTimeout))
        if others > 0 { observation.detail = "ignored \(others) messages that did not belong to the query" }
        if overTCP {
            observation = isConnected ? observation : unreachable(Observation(.failed(.blackHole)))
        }
        return observation
    }

    /// Asks by a new query on a new socket, thus from a new port.
    private func ask(hasExtension: Bool) throws(DescriptorShortage) -> Step {
        var generator = SystemRandomNumberGenerator()
        guard let query = DNSQuery(question, hasExtension: hasExtension, using: &generator) else {
            return .end(Observation(.impossible(.invalidName)))
        }
        let socket: ProbeSocket
        do throws(SocketRefusal) {
            socket = try ProbeSocket(overTCP ? lc_tcp : lc_udp, server.family)
        } catch {
            return .end(unreachable(try error.observation(to: server)))
        }
        self.query = query
        descriptor = socket
        isConnected = false
        stream = []
        let result = socket.connect(to: server, port)
        if overTCP, result == EINPROGRESS { return .wait(lc_writable) }
        guard result == 0 else { return .end(unreachable(Observation(atOnce: result, to: server))) }
        isConnected = true
        return send(query, socket)
    }

    private func finishConnecting(_ socket: ProbeSocket, _ query: DNSQuery, _ what: Int, _ now: Int64) -> Step {
        if let failure = socket.failure(server.family, after: .nanoseconds(now - start)) {
            return .end(unreachable(failure))
        }
        guard what & lc_failed == 0 else { return .end(unreachable(Observation(.failed(.reset)))) }
        isConnected = true
        return send(query, socket)
    }

    private func send(_ query: DNSQuery, _ socket: ProbeSocket) -> Step {
        var bytes = query.bytes
        if overTCP { bytes.insert(contentsOf: [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)], at: 0) }
        guard Glibc.send(socket.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            return .end(unreachable(Observation(atOnce: errno, to: server)))
        }
        return .wait(lc_readable)
    }

    /// Takes the next whole message off the stream (RFC 1035 section 4.2.2).
    private func nextMessage() -> [UInt8]? {
        guard stream.count >= 2 else { return nil }
        let end = 2 + (Int(stream[0]) << 8 | Int(stream[1]))
        guard stream.count >= end else { return nil }
        defer { stream.removeFirst(end) }
        return Array(stream[2..<end])
    }

    /// How to go on after a message; nil where it changes nothing.
    private func take(_ message: [UInt8], to query: DNSQuery, _ now: Int64) -> Step? {
        switch DNSAnswer.read(message, to: query) {
        case .other:
            others += 1
            return nil
        case .malformed:
            sawNonsense = true
            // Over UDP it may be forged, and the answer still to come.
            return overTCP ? end(.failed(.malformedAnswer), now) : nil
        case .answer(let answer):
            let refusesExtension =
                query.hasExtension
                && (answer.code == DNSAnswer.Code.formatError || answer.code == DNSAnswer.Code.notImplemented)
            guard refusesExtension || answer.isTruncated && !overTCP else {
                return .end(Observation(answer, after: .nanoseconds(now - start)))
            }
            overTCP = overTCP || answer.isTruncated
            do throws(DescriptorShortage) {
                return try ask(hasExtension: !refusesExtension && query.hasExtension)
            } catch {
                return end(.nothing(.resources), now)
            }
        }
    }

    private func end(_ finding: Evidence.Finding, _ now: Int64) -> Step {
        var observation = Observation(finding)
        observation.phases[.resolve] = .nanoseconds(now - start)
        return .end(observation)
    }

    /// What it means for the name that the server could not be reached; trouble of our own stays that.
    private func unreachable(_ observation: Observation) -> Observation {
        var result = observation
        switch observation.finding {
        case .nothing, .answered: return observation
        case .failed(let reason), .impossible(let reason):
            result.finding = .failed(.serverUnreachable)
            result.detail = reason.description
        }
        return result
    }
}
