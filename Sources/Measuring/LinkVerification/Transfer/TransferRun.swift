// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles

/// One run of a ``TransferModel``: the packets in flight, and the receiver. Times are in nanoseconds.
struct TransferRun {
    private var data: LinkPipeline
    private var answers: LinkPipeline
    private let model: TransferModel
    private var sender = TransferSender()
    /// The segment number of each packet sent, by the packet's tag.
    private var segments: [Int] = []
    /// The acknowledgements sent, by tag: the first missing segment, and the number of arrivals until then.
    private var acknowledgements: [(upTo: Int, arrived: Int)] = []
    /// The numbers of the segments that arrived, in the order of arrival.
    private var arrived: [Int] = []
    private var isThere: [Bool] = []
    /// The first segment that has not arrived.
    private var missing = 0
    private var unanswered = 0
    private var answerDue = Int64.max
    /// The number of arrivals that were acknowledged to the sender.
    private var known = 0

    /// The number of first segments that are acknowledged one by one, and of segments per acknowledgement later
    /// (tcp_input.c).
    private static let (quick, usual) = (16, 2)
    private static let answerDelay: Int64 = 40_000_000

    init(_ model: TransferModel, seed: UInt64) {
        self.model = model
        let start = LinkTime(nanoseconds: 0)
        let isUp = model.direction == .uplink
        data = LinkPipeline(model.lanes.data, seed: seed, lane: isUp ? 0 : 1, start: start)
        answers = LinkPipeline(model.lanes.answers, seed: seed, lane: isUp ? 1 : 0, start: start)
    }

    // MARK: The handshake

    /// Performs the handshake; returns when the client is connected and when the data may start, nil if that is too
    /// late.
    func open(at start: Int64, before end: Int64) -> (connected: Int64, begin: Int64)? {
        let isUp = model.direction == .uplink
        let (up, down) = isUp ? (data, answers) : (answers, data)
        guard let asked = Self.pass(up, model.openingFrame, at: start, before: end),
            let opened = Self.pass(down, model.openingFrame, at: asked, before: end)
        else { return nil }
        let begin = isUp ? opened : Self.pass(up, model.emptyFrame, at: opened, before: end)
        return begin.map { (opened, $0) }
    }

    /// When a packet that is alone in a lane arrives; a lost one is retransmitted (RFC 6298).
    private static func pass(
        _ pipeline: LinkPipeline,
        _ frameBytes: Int,
        at start: Int64,
        before end: Int64
    ) -> Int64? {
        var pipeline = pipeline
        var (time, retransmissionTimeout) = (start, Int64(1_000_000_000))
        while time < end {
            _ = pipeline.accept(arrival: LinkTime(nanoseconds: time), frameBytes: frameBytes, tag: 0)
            time += retransmissionTimeout
            retransmissionTimeout *= 2
            while let departure = pipeline.popDeparture(upTo: LinkTime(nanoseconds: time)) {
                if departure.hasArrived { return departure.due.nanoseconds }
            }
        }
        return nil
    }

    // MARK: The data

    /// Runs the transfer; returns the number of segments that arrived in order.
    mutating func transfer(from start: Int64, until end: Int64) -> Int {
        var now = start
        while true {
            while let number = sender.send(at: now, maximum: model.maximumInFlight) { send(number, now) }
            let departures = [data.nextDeparture, answers.nextDeparture].compactMap { $0?.nanoseconds }
            let next = min(departures.min() ?? .max, sender.timer, answerDue)
            guard next < end else { return missing }
            now = max(now, next)
            let time = LinkTime(nanoseconds: now)
            while let departure = data.popDeparture(upTo: time) {
                if departure.hasArrived { receive(segments[Int(departure.tag)], now) }
            }
            if now >= answerDue { answer(now) }
            while let departure = answers.popDeparture(upTo: time) {
                guard departure.hasArrived else { continue }
                let (upTo, count) = acknowledgements[Int(departure.tag)]
                sender.acknowledge(upTo: upTo, and: arrived[min(known, count)..<count], at: now)
                known = max(known, count)
            }
            if now >= sender.timer, let number = sender.expire(at: now) { send(number, now) }
        }
    }

    private mutating func send(_ number: Int, _ now: Int64) {
        segments.append(number)
        _ = data.accept(
            arrival: LinkTime(nanoseconds: now),
            frameBytes: TransferModel.fullFrame,
            tag: UInt32(segments.count - 1)
        )
    }

    private mutating func receive(_ number: Int, _ now: Int64) {
        if number >= isThere.count { isThere += [Bool](repeating: false, count: number + 1 - isThere.count) }
        let isNext = number == missing
        if !isThere[number] {
            isThere[number] = true
            arrived.append(number)
        }
        while missing < isThere.count, isThere[missing] { missing += 1 }
        unanswered += 1
        let needed = arrived.count <= Self.quick ? 1 : Self.usual
        // A segment out of order is acknowledged at once (RFC 5681).
        if !isNext || missing < isThere.count || unanswered >= needed { return answer(now) }
        answerDue = min(answerDue, now + Self.answerDelay)
    }

    private mutating func answer(_ now: Int64) {
        (unanswered, answerDue) = (0, .max)
        acknowledgements.append((missing, arrived.count))
        _ = answers.accept(
            arrival: LinkTime(nanoseconds: now),
            frameBytes: model.emptyFrame,
            tag: UInt32(acknowledgements.count - 1)
        )
    }
}

extension Departure {
    /// Whether the packet arrives undamaged: a damaged one fails its checksum.
    fileprivate var hasArrived: Bool { drop == nil && corruptedBit == nil }
}
