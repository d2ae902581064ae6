// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import TestPackets

/// What a client knows of a connection that it has opened, in nanoseconds of the clock.
final class KnownConnection {
    let ends: SimulatedEnds
    let socket: SimulatedTCP
    let process: Int
    let opened: Int64
    var isHTTP = true
    var accepted: Int64?
    /// When the client had it no more: it closed it, or was told that it is gone.
    var letGo: Int64?
    /// Whether a packet left, or came, at that very moment.
    var isTold = false
    /// When data came for it.
    var arrivals: [Int64] = []
    /// When packets of it carried something again.
    var retransmissions: [Int64] = []

    init(_ socket: SimulatedTCP, process: Int, at now: Int64) {
        (ends, self.socket, self.process, opened) = (socket.ends, socket, process, now)
    }
}

/// A request that a client has sent.
struct KnownRequest {
    var time: Int64
    var job: Int
    /// Which of the requests of the job, in the order in which they are first sent.
    var number: Int
    var connection: Int
    /// Whether it repeats the one before, which got no answer, though its method is not safe to repeat.
    var repeats = false
    /// Whether the kernel had room to send it at once.
    var isSent: Bool
}

/// What a client is to do at one server.
struct KnownJob {
    enum Afterwards { case closes, aborts, keeps }

    var service = 0
    var process = 0
    var begin: Int64 = 0
    var method = "GET"
    var hasKey = false
    /// Whether each repetition has a body of its own.
    var changesBody = false
    var bytes = 0
    var requests = 1
    var connectLimit: Int64? = .ms(1000)
    var answerLimit: Int64? = .ms(1000)
    var retries = 0
    /// The times between a failure and the next attempt.
    var waits: [Int64] = []
    /// How much longer than the one before each is, and by what share it is spread.
    var (factor, jitter) = (1.0, 0.0)
    var aborts = false
    var afterwards = Afterwards.closes
    /// The time between the last answer and that.
    var idle: Int64 = 0

    var isSafe: Bool { method != "POST" || hasKey }
}

/// A client that does its jobs, and notes what it does.
final class KnownClient {
    let network: SimulatedNetwork
    let jobs: [KnownJob]
    private(set) var connections: [KnownConnection] = []
    private(set) var requests: [KnownRequest] = []
    /// Of each job, the times of the attempts.
    private(set) var attempts: [[Int64]]
    /// Whether a job got an answer.
    private(set) var hasAnswer: [Bool]
    private var nextPort: UInt16 = 40_000
    private(set) var hasEnded = false
    private var isCancelled = false

    private var clock: SimulatedClock { network.clock }

    init(_ network: SimulatedNetwork, _ jobs: [KnownJob]) {
        (self.network, self.jobs) = (network, jobs)
        attempts = jobs.map { _ in [] }
        hasAnswer = jobs.map { _ in false }
        for index in jobs.indices {
            network.clock.after(jobs[index].begin) { [unowned self] in attempt(index, 0, request: 0, failed: false) }
        }
    }

    private func attempt(_ index: Int, _ number: Int, request: Int, failed: Bool) {
        guard !hasEnded, !isCancelled else { return }
        let job = jobs[index]
        let service = network.services[job.service]
        nextPort += 2
        let socket = network.socket(
            SimulatedEnds(clientPort: nextPort, host: service.host, serverPort: service.port)
        )
        let connection = KnownConnection(socket, process: job.process, at: clock.now)
        connection.isHTTP = service.isHTTP
        connections.append(connection)
        attempts[index].append(clock.now)
        let place = connections.count - 1
        var (done, failedHere, timer, received, repeats) = (request, false, 0, 0, failed)

        func fail(told: Bool) {
            guard !failedHere, connection.letGo == nil else { return }
            failedHere = true
            if told { note(connection, told: true) } else { letGo(connection, aborting: job.aborts) }
            guard number < job.retries, job.waits.indices.contains(number) else { return }
            clock.after(job.waits[number]) { [unowned self] in
                attempt(index, number + 1, request: done, failed: repeats)
            }
        }
        func limit(_ time: Int64?) {
            timer += 1
            let own = timer
            guard let time else { return }
            clock.after(time) { if own == timer, !self.hasEnded { fail(told: false) } }
        }
        func ask() {
            received = 0
            let isSent = socket.write(bytes(of: job, index, done, attempt: number))
            requests.append(
                KnownRequest(
                    time: clock.now,
                    job: index,
                    number: done,
                    connection: place,
                    repeats: repeats && !job.isSafe && !job.changesBody,
                    isSent: isSent
                )
            )
            repeats = true
            limit(job.answerLimit)
        }
        socket.onEstablished = { [unowned self] in
            connection.accepted = clock.now
            ask()
        }
        socket.onArrival = { [unowned self] in
            if connection.letGo == nil { connection.arrivals.append(clock.now) }
        }
        socket.onRetransmission = { [unowned self] in connection.retransmissions.append(clock.now) }
        socket.onGone = { fail(told: true) }
        socket.onData = { [unowned self] bytes in
            received += bytes.count
            if service.status < 500 { hasAnswer[index] = true }
            repeats = false
            guard received >= service.answer.count, connection.letGo == nil else { return }
            done += 1
            if done < job.requests { return ask() }
            timer += 1
            clock.after(job.idle) { [unowned self] in
                guard connection.letGo == nil, !hasEnded else { return }
                switch job.afterwards {
                case .closes: letGo(connection, aborting: false)
                case .aborts: letGo(connection, aborting: true)
                case .keeps: break
                }
            }
        }
        // The server closes its side: what is not whole by then never will be.
        socket.onFinish = { [unowned self] in
            clock.after(.ms(1)) {
                guard connection.letGo == nil, !self.hasEnded else { return }
                if done < job.requests { fail(told: false) } else { self.letGo(connection, aborting: false) }
            }
        }
        limit(job.connectLimit)
        socket.connect()
    }

    private func bytes(of job: KnownJob, _ index: Int, _ request: Int, attempt: Int) -> [UInt8] {
        guard network.services[job.service].isHTTP else { return [1, 2, 3] }
        let body = String(repeating: job.changesBody ? "\(attempt % 10)" : "b", count: job.bytes)
        let key = job.hasKey ? "Idempotency-Key: \(index)-\(request)\r\n" : ""
        let head = "\(job.method) /\(index)/\(request) HTTP/1.1\r\nHost: a.test\r\n\(key)"
        return Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    private func note(_ connection: KnownConnection, told: Bool) {
        guard connection.letGo == nil else { return }
        (connection.letGo, connection.isTold) = (clock.now, told)
    }

    private func letGo(_ connection: KnownConnection, aborting: Bool) {
        let before = network.sent.count
        if aborting { connection.socket.abort() } else { connection.socket.close() }
        note(connection, told: network.sent.count > before)
    }

    /// Lets go of all that it has, and does nothing more.
    func cancel() {
        isCancelled = true
        for connection in connections where connection.letGo == nil { letGo(connection, aborting: false) }
    }

    /// Ends the command: its process closes what it holds. A process that it left goes on.
    func end() {
        hasEnded = true
        for connection in connections where connection.letGo == nil && connection.process == 0 {
            letGo(connection, aborting: false)
        }
    }
}
