// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A bottleneck whose queue is managed, or that competing traffic shares. The next packet is chosen when the transmitter is
/// free, unlike in ``Bottleneck``, which knows all times in advance.
struct SharedBottleneck: Sendable {
    private var figures: BottleneckFigures
    private var transmitter: Transmitter
    private var queue: ManagedQueue
    private var dropped = DroppedPackets()
    private var competing: CompetingTraffic
    /// The mean loss of the link, which competing packets have, too, each by itself.
    private let loss: Chance
    private let lossSeed: UInt64
    private var drawn: UInt64 = 0
    private let conditions: LaneConditions
    private let seed: UInt64
    private let start: LinkTime

    /// The packet on the transmitter, whose last bit is sent at its time, and when it came to the queue.
    private var sending: HeldPacket?
    private var sendingSince: Int64 = 0
    /// The number of real packets in the bottleneck.
    private(set) var held = 0
    /// The number of real packets in the queue.
    private var waiting = 0
    /// Where the time of the real packets went.
    private(set) var competition = Competition()
    /// The time until which all events have been handled.
    private var now: Int64

    /// The time before a real packet from which competing traffic is computed, if no real packet came for longer. The model
    /// starts anew then: hours without packets must not be computed packet by packet.
    private static let longestCatchUp: Int64 = 20_000_000_000
    /// The packets at the bottleneck's rate that are computed before a real packet, at most.
    private static let mostPacketsOfCatchUp: Int64 = 50_000

    /// Makes an empty bottleneck; nil if the lane has no managed queue and no competing traffic.
    init?(_ conditions: LaneConditions, seed: UInt64, start: LinkTime) {
        let base = conditions.base
        let management = base.queueManagement ?? QueueManagement(.dropTail)
        guard !management.isDropTail || base.competing?.isEmpty == false else { return nil }
        (self.conditions, self.seed, self.start) = (conditions, seed, start)
        figures = BottleneckFigures(conditions, start: start)
        transmitter = Transmitter(conditions, start: start)
        queue = ManagedQueue(management, marks: base.ecn ?? false, random: SplitMix64.value(seed: seed, index: 0))
        competing = Self.traffic(conditions, seed, start)
        loss = Chance(base.loss.flatMap { Probability(fraction: $0.meanLoss) })
        lossSeed = SplitMix64.value(seed: seed, index: 2)
        now = start.nanoseconds
    }

    private static func traffic(_ conditions: LaneConditions, _ seed: UInt64, _ start: LinkTime) -> CompetingTraffic {
        CompetingTraffic(
            conditions.base.competing ?? [],
            start: start.nanoseconds,
            random: SplitMix64.value(seed: seed, index: 1)
        )
    }

    /// The time of the next event that may be that of a real packet; `Int64.max` if there is no real packet.
    var firstTime: Int64 {
        if let first = dropped.first { return first.time }
        guard held > 0 else { return .max }
        return min(sending?.time ?? .max, competing.nextEvent)
    }

    /// Handles events up to `limit`, and returns the first real packet that is sent or dropped by then.
    mutating func next(upTo limit: Int64) -> HeldPacket? {
        while true {
            while !dropped.isEmpty {
                let packet = dropped.removeFirst()
                guard packet.isVirtual else {
                    held -= 1
                    return packet
                }
                competing.noteDrop(of: packet)
            }
            guard held > 0 else { return nil }
            if let packet = advance(to: limit) {
                held -= 1
                return packet
            }
            guard !dropped.isEmpty else { return nil }
        }
    }

    /// Adds a packet that comes at its time, after the events before.
    mutating func enqueue(_ packet: HeldPacket) {
        catchUp(to: packet.time)
        held += 1
        add(packet)
    }

    private mutating func add(_ packet: HeldPacket) {
        figures.advance(to: packet.time)
        var packet = packet
        packet.bytes = figures.wireBytes(packet.bytes)
        let (before, drops) = (waiting, dropped.count)
        if !packet.isVirtual { waiting += 1 }
        queue.enqueue(packet, figures.capacity, sending: sending.map { Int($0.bytes) }, &dropped)
        removeFromWaiting(droppedSince: drops)
        // The packet waits for the rest of the one that is being sent. If another one was dropped for it, its time for
        // that has been counted already.
        if waiting > before, let sending, sending.time < IntervalCursor.endless {
            competition.addWaiting(sending.time - packet.time, of: 1, behindOthers: sending.isVirtual)
        }
        if sending == nil { sendNext(at: packet.time) }
    }

    /// Adds a competing packet, unless the link loses it.
    private mutating func addVirtual(_ packet: HeldPacket) {
        defer { drawn &+= 1 }
        guard !loss.hits(SplitMix64.value(seed: lossSeed, index: drawn)) else {
            return competing.noteDrop(of: packet)
        }
        add(packet)
    }

    private mutating func sendNext(at time: Int64) {
        let drops = dropped.count
        let next = queue.dequeue(at: time, &dropped)
        removeFromWaiting(droppedSince: drops)
        guard var packet = next else { return sending = nil }
        sendingSince = packet.time
        packet.time = transmitter.send(wireBytes: packet.bytes, ready: time)
        sending = packet
        if !packet.isVirtual { waiting -= 1 }
        guard packet.time < IntervalCursor.endless else { return }
        competition.addWaiting(packet.time - time, of: waiting, behindOthers: packet.isVirtual)
        if !packet.isVirtual { competition.addDelay(packet.time - time) }
    }

    private mutating func removeFromWaiting(droppedSince count: Int) {
        for index in count..<dropped.count where !dropped[index].isVirtual { waiting -= 1 }
    }

    /// Notes the time from a real packet's arrival until it reaches the bottleneck.
    mutating func noteDelay(_ nanoseconds: Int64) { competition.addDelay(nanoseconds) }

    /// Handles events up to `limit`, until a real packet has been sent, which it returns, or one has been dropped.
    private mutating func advance(to limit: Int64) -> HeldPacket? {
        while true {
            let (end, event) = (sending?.time ?? .max, competing.nextEvent)
            guard min(end, event) <= limit, min(end, event) < IntervalCursor.endless else {
                now = max(now, limit)
                return nil
            }
            now = min(end, event)
            if end <= event, let packet = sending {
                let came = sendingSince
                sendNext(at: packet.time)
                guard packet.isVirtual else { return packet }
                competing.noteDelivery(of: packet, sent: came)
            } else {
                var arrivals = HeldPacketQueue()
                competing.handleEvents(at: event) { arrivals.append($0) }
                while !arrivals.isEmpty { addVirtual(arrivals.removeFirst()) }
            }
            if !dropped.isEmpty { return nil }
        }
    }

    /// Handles the events up to the arrival of a real packet while there was none.
    private mutating func catchUp(to time: Int64) {
        guard held == 0 else { return }
        let length = figures.length(of: Self.mostPacketsOfCatchUp, longest: Self.longestCatchUp)
        if competing.nextEvent < .max, time - now > length {
            let begin = LinkTime(nanoseconds: time - length)
            transmitter = Transmitter(conditions, start: start)
            queue = ManagedQueue(
                conditions.base.queueManagement ?? QueueManagement(.dropTail),
                marks: conditions.base.ecn ?? false,
                random: SplitMix64.value(seed: seed, index: 0)
            )
            competing = Self.traffic(conditions, seed, start)
            competing.skip(to: begin.nanoseconds)
            (sending, now) = (nil, begin.nanoseconds)
        }
        while true {
            _ = advance(to: time)
            guard !dropped.isEmpty else { return }
            while !dropped.isEmpty { competing.noteDrop(of: dropped.removeFirst()) }
        }
    }
}
