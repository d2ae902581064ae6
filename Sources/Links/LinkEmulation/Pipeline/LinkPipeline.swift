// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The model of one lane: accepts packets as they arrive, and decides when each is delivered or why it is dropped.
///
/// The order is: loss, duplication, corruption; then delay, jitter and reordering; then the bottleneck, a tail-drop
/// buffer with a rate. The pipeline reads no clock: the caller passes the time, and the model computes all other times.
/// The same seed, lane number, conditions and arrivals give the same results on every machine and in every version with
/// the same `RandomSequence.version`.
///
/// The caller may give each packet an index, which selects its random numbers: then the decisions about a packet do not
/// depend on other packets. Models with memory ignore the index and follow the order of arrival: Gilbert-Elliott, the
/// four-state chain, bursts with a longest length, and reordering with a gap above 1.
///
/// A lost packet is not duplicated, and a duplicate is never lost by the loss model (netem draws again for duplicates);
/// jitter and the flipped bit of a duplicate are drawn separately. A packet that overtakes skips the delay, but not the
/// bottleneck (in netem it skips both). With ordered jitter, packets also wait for packets that an earlier step of the
/// schedule delays longer.
///
/// To change the conditions, make a new pipeline for new packets, and keep the old one until it `isEmpty`. Mutate a
/// pipeline in place: mutating a copy copies all packets in it.
public struct LinkPipeline: Sendable {
    private let streams: RandomStreams
    private let phases: [Phase]
    private var timeline: IntervalCursor
    private var lossProcess = LossProcess()
    private var corruptedBurst = BurstLimit()
    private var delayLine = DelayLine()
    private var bottleneck: Bottleneck
    /// The bottleneck, if its queue is managed or shared; else nil.
    private var shared: SharedBottleneck?
    /// Whether competing traffic uses the bottleneck.
    private let isShared: Bool

    /// The number of the next packet: orders packets with the same time, and selects the random numbers of models with
    /// memory.
    private var number: UInt64 = 0
    private var lastArrival: Int64
    /// The time at which the last packet in order reaches the bottleneck.
    private var lastInOrder: Int64 = .min
    /// The number of packets delayed since the last one that overtook.
    private var sinceReordered = 0
    /// The time of the last packet that left.
    private var lastDeparture: Int64 = .min

    private static let largestFrame = 1 << 24

    /// The largest number of packets, including duplicates, that the pipeline holds.
    public let maximumHeld: Int

    /// Makes an empty pipeline.
    ///
    /// Schedules and recordings begin at `start`. Lanes with one seed need different numbers, or they would lose the
    /// same packets. The default of `maximumHeld` is the number of full-size packets in 300 ms at 10 Gbit/s.
    public init(
        _ conditions: LaneConditions,
        seed: UInt64,
        lane: UInt64 = 0,
        start: LinkTime,
        maximumHeld: Int = 262_144
    ) {
        let intervals = conditions.intervals
        streams = RandomStreams(seed: seed, lane: lane)
        phases = intervals.map { Phase($0.impairments) }
        timeline = IntervalCursor(starts: intervals.map(\.start), period: conditions.period?.nanoseconds, origin: start)
        bottleneck = Bottleneck(conditions, start: start)
        shared =
            bottleneck.isLimited ? SharedBottleneck(conditions, seed: streams.bottleneck, start: start) : nil
        isShared = shared != nil && conditions.base.competing?.isEmpty == false
        lastArrival = start.nanoseconds
        self.maximumHeld = maximumHeld
    }

    /// The number of packets in the pipeline, including duplicates.
    public private(set) var held = 0

    /// Whether every admitted packet was delivered or dropped.
    @inlinable
    public var isEmpty: Bool { held == 0 }

    /// Whether the bottleneck is shared or its queue is managed.
    package var isSharedOrManaged: Bool { shared != nil }

    /// Where the time of the packets went; nil for a link that nobody else uses.
    public var competition: Competition? { isShared ? shared?.competition : nil }

    /// Accepts a packet that arrives at `arrival`. A time before the previous packet's arrival, or before the start,
    /// counts as that later time.
    ///
    /// `frameBytes` is the length of the IP packet plus 14 bytes, on every device. The bottleneck may still drop an
    /// admitted packet, after its delay; `popDeparture(upTo:)` reports that.
    ///
    /// `index` selects the packet's random numbers; nil selects those of the packet's number in the lane, counted from
    /// 0. `flow` tells flows apart in queues that have one for each.
    public mutating func accept(
        arrival: LinkTime,
        frameBytes: Int,
        ecn: ECNSupport = .none,
        tag: UInt32,
        index own: UInt64? = nil,
        flow: UInt16 = 0
    ) -> Admission {
        let packet = number
        number &+= 1
        let draw = own ?? packet
        lastArrival = min(max(arrival.nanoseconds, lastArrival), IntervalCursor.endless)
        timeline.advance(to: lastArrival)
        let index = timeline.index

        var isMarked = false
        if let reason = lossProcess.dropReason(phases[index].loss, index: draw, number: packet, streams) {
            guard ecn != .none, phases[index].marksInstead else { return .dropped(reason) }
            isMarked = true
        }
        let room = maximumHeld - held
        guard room > 0 else { return .dropped(.memory) }
        let duplicate = phases[index].duplicate
        let isDuplicated =
            duplicate.isPossible && room > 1
            && duplicate.hits(SplitMix64.value(seed: streams.duplicate, index: draw))
        for copy in 0...(isDuplicated ? 1 : 0) {
            let order = packet &* 2 &+ UInt64(copy)
            let copyDraw = draw &* 2 &+ UInt64(copy)
            var held = HeldPacket(
                time: releaseTime(drawing: copyDraw, order: order, index),
                order: order,
                tag: tag,
                bytes: UInt32(min(max(frameBytes, 1), Self.largestFrame)),
                corruptedBit: corruptedBit(drawing: copyDraw, order: order, frameBytes, index),
                isMarked: isMarked
            )
            held.ecn = ecn
            held.flow = flow
            if shared != nil { shared?.noteDelay(held.time - lastArrival) }
            delayLine.insert(held)
        }
        let copies = isDuplicated ? 2 : 1
        held += copies
        precondition(held <= maximumHeld, "more packets are held than may be")
        return .admitted(copies: copies)
    }

    /// Returns the time at which the packet reaches the bottleneck.
    @inline(__always)
    private mutating func releaseTime(drawing index: UInt64, order: UInt64, _ phase: Int) -> Int64 {
        let reorder = phases[phase].reorder
        if reorder.isPossible {
            // With a gap, whether a packet may overtake depends on the packets before it: its random number follows the
            // order of arrival, too.
            let draw = phases[phase].gap > 0 ? order : index
            if sinceReordered >= phases[phase].gap,
                reorder.hits(SplitMix64.value(seed: streams.reorder, index: draw))
            {
                sinceReordered = 0
                return lastArrival
            }
            sinceReordered += 1
        }
        let time = min(lastArrival + phases[phase].delay.delay(drawing: index, streams), IntervalCursor.endless)
        guard phases[phase].delay.isOrdered else { return time }
        lastInOrder = max(time, lastInOrder)
        return lastInOrder
    }

    @inline(__always)
    private mutating func corruptedBit(drawing index: UInt64, order: UInt64, _ frameBytes: Int, _ phase: Int) -> UInt32
    {
        let corrupt = phases[phase].corrupt
        guard corrupt.isPossible else { return HeldPacket.noBit }
        if let longest = phases[phase].longestCorruption {
            let hits = corrupt.hits(SplitMix64.value(seed: streams.corrupt, index: order))
            guard corruptedBurst.admits(hits, longest: longest) else { return HeldPacket.noBit }
        } else if !corrupt.hits(SplitMix64.value(seed: streams.corrupt, index: index)) {
            return HeldPacket.noBit
        }
        let bits = UInt64(max(frameBytes - Frame.headerBytes, 1)) * 8
        let random = SplitMix64.value(seed: streams.corruptBit, index: index)
        return UInt32(truncatingIfNeeded: bits.multipliedFullWidth(by: random).high)
    }

    /// The time at which the next packet is delivered, unless another packet arrives before. Nil if no packet will be:
    /// the pipeline is empty, or the rate stays zero.
    ///
    /// Packets that the bottleneck drops until then are reported with the next departure.
    public var nextDeparture: LinkTime? {
        // Mutating for speed only: for a plain getter the compiler copies a pipeline in a class or array, and the
        // retains of its arrays take longer than all other work for a packet.
        mutating get {
            var time = shared?.firstTime ?? bottleneck.firstTime
            if shared != nil {
                time = min(time, delayLine.firstTime)
            } else if time == .max {
                if bottleneck.isLimited, let next = delayLine.first {
                    time = bottleneck.end(of: next)
                } else {
                    time = delayLine.firstTime
                }
            }
            return time < IntervalCursor.endless ? LinkTime(nanoseconds: time) : nil
        }
    }

    /// Removes and returns the next packet, in chronological order, that is delivered or dropped by `now`; nil if there
    /// is none.
    ///
    /// A packet that is accepted afterwards arrives at `now` or later. `.never` returns all packets that are ever
    /// delivered, and does not advance the time.
    public mutating func popDeparture(upTo now: LinkTime) -> Departure? {
        let limit = min(now.nanoseconds, IntervalCursor.endless - 1)
        if now < .never { lastArrival = max(limit, lastArrival) }
        guard bottleneck.isLimited else {
            guard delayLine.firstTime <= limit else { return nil }
            return leave(delayLine.removeFirst(), upTo: now)
        }
        guard shared == nil else { return popShared(upTo: now, limit) }
        while true {
            let (sent, next) = (bottleneck.firstTime, delayLine.firstTime)
            // A packet sent at the time at which another one arrives makes room for it.
            if next <= limit, next < sent {
                let packet = delayLine.removeFirst()
                if let reason = bottleneck.enqueue(packet) { return leave(packet, upTo: now, drop: reason) }
            } else {
                guard sent <= limit else { return nil }
                return leave(bottleneck.removeFirst(), upTo: now)
            }
        }
    }

    /// `popDeparture` where the bottleneck is shared or its queue is managed.
    private mutating func popShared(upTo now: LinkTime, _ limit: Int64) -> Departure? {
        while true {
            // A packet sent at the time at which another one arrives makes room for it.
            let next = delayLine.firstTime
            if let packet = shared?.next(upTo: min(limit, next)) {
                return leave(packet, upTo: now, drop: packet.drop.reason)
            }
            guard next <= limit else { return nil }
            shared?.enqueue(delayLine.removeFirst())
        }
    }

    /// Counts a packet out of the pipeline, and checks the order of times. With `.never` packets leave ahead of their
    /// time, so that the order is not checked.
    @inline(__always)
    private mutating func leave(_ packet: HeldPacket, upTo now: LinkTime, drop: DropReason? = nil) -> Departure {
        precondition(held > 0, "more packets leave than came")
        held -= 1
        if now < .never {
            precondition(packet.time >= lastDeparture, "packets leave in another order than that of time")
            lastDeparture = packet.time
        }
        return packet.departure(drop: drop)
    }
}
