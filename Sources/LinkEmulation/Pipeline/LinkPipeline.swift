// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// One lane of a link: takes packets as they arrive, and says which leave, when, and what happened to them.
///
/// Loss, duplication, corruption; then delay, jitter and reordering; then the bottleneck, a buffer that drops at its
/// tail, and a rate. Nothing here knows a clock: the caller says what time it is, and all times that come out are those
/// of the model, however late they are asked for. The same seed, lane number, conditions and arrivals give the same
/// fates on every machine and in every version.
///
/// What is lost is not doubled, and a copy is not lost by itself (netem draws again for copies); it has its own jitter
/// and its own flipped bit. A packet that overtakes skips the delay, but not the bottleneck (netem's skips both). Where
/// order is kept, packets also wait for one that an earlier step of the schedule delays for longer.
///
/// A value: changing conditions means a new pipeline for new packets, while the old one is kept until `isEmpty` says
/// that it has given back what it promised. Keep it where it can be changed in place; a copy that is changed copies
/// all packets in it.
public struct LinkPipeline: Sendable {
    private let streams: RandomStreams
    private let phases: [Phase]
    private var timeline: Timeline
    private var lossProcess = LossProcess()
    private var delayLine = DelayLine()
    private var bottleneck: Bottleneck

    /// The number of the next packet, from which all that is random about it follows.
    private var number: UInt64 = 0
    private var lastArrival: Int64
    /// The latest time at which a packet that keeps its order reaches the bottleneck.
    private var lastInOrder: Int64 = .min
    /// How many packets have been delayed since one overtook.
    private var sinceReordered = 0

    private static let largestFrame = 1 << 24

    /// The most packets, copies among them, that may be inside at once.
    public let maximumHeld: Int

    /// Makes a pipeline that holds nothing.
    ///
    /// Schedules and recordings begin at `start`. Lanes of one seed need different numbers, or they would lose the
    /// same packets. The default of `maximumHeld` is what 10 Gbit/s of full-size packets are in 300 ms.
    public init(
        _ conditions: LaneConditions,
        seed: UInt64,
        lane: UInt64 = 0,
        start: LinkTime,
        maximumHeld: Int = 262_144
    ) {
        let stretches = conditions.stretches
        streams = RandomStreams(seed: seed, lane: lane)
        phases = stretches.map { Phase($0.impairments) }
        timeline = Timeline(starts: stretches.map(\.start), period: conditions.period?.nanoseconds, origin: start)
        bottleneck = Bottleneck(conditions, start: start)
        lastArrival = start.nanoseconds
        self.maximumHeld = maximumHeld
    }

    /// How many packets are inside, copies among them.
    public private(set) var held = 0

    /// Whether everything that was admitted has been given back.
    @inlinable
    public var isEmpty: Bool { held == 0 }

    /// Takes a packet that arrives at `arrival`; one before an earlier packet's counts as that packet's, and one
    /// before the start as the start.
    ///
    /// `frameBytes` is the IP packet and 14 bytes, whatever the device. A packet that is admitted may still be dropped
    /// at the bottleneck, which it reaches only after its delay: `popDeparture(upTo:)` says so then.
    public mutating func accept(
        arrival: LinkTime,
        frameBytes: Int,
        isECNCapable: Bool = false,
        tag: UInt32
    ) -> Admission {
        let packet = number
        number &+= 1
        lastArrival = min(max(arrival.nanoseconds, lastArrival), Timeline.endless)
        timeline.advance(to: lastArrival)
        let index = timeline.index

        var isMarked = false
        if let reason = lossProcess.fate(phases[index].loss, packet: packet, streams) {
            guard isECNCapable, phases[index].marksInstead else { return .dropped(reason) }
            isMarked = true
        }
        let room = maximumHeld - held
        guard room > 0 else { return .dropped(.memoryFull) }
        let duplicate = phases[index].duplicate
        let isDoubled =
            duplicate.isPossible && room > 1
            && duplicate.hits(SplitMix64.value(seed: streams.duplicate, index: packet))
        for copy in 0...(isDoubled ? 1 : 0) {
            let order = packet &* 2 &+ UInt64(copy)
            delayLine.insert(
                HeldPacket(
                    time: releaseTime(of: order, index),
                    order: order,
                    tag: tag,
                    bytes: UInt32(min(max(frameBytes, 1), Self.largestFrame)),
                    corruptedBit: corruptedBit(of: order, frameBytes, index),
                    isMarked: isMarked
                )
            )
        }
        let copies = isDoubled ? 2 : 1
        held += copies
        return .admitted(copies: copies)
    }

    /// When the packet reaches the bottleneck.
    @inline(__always)
    private mutating func releaseTime(of order: UInt64, _ phase: Int) -> Int64 {
        let reorder = phases[phase].reorder
        if reorder.isPossible {
            if sinceReordered >= phases[phase].gap,
                reorder.hits(SplitMix64.value(seed: streams.reorder, index: order))
            {
                sinceReordered = 0
                return lastArrival
            }
            sinceReordered += 1
        }
        let time = min(lastArrival + phases[phase].delay.delay(of: order, streams), Timeline.endless)
        guard phases[phase].delay.isOrdered else { return time }
        lastInOrder = max(time, lastInOrder)
        return lastInOrder
    }

    @inline(__always)
    private func corruptedBit(of order: UInt64, _ frameBytes: Int, _ phase: Int) -> UInt32 {
        let corrupt = phases[phase].corrupt
        guard corrupt.isPossible, corrupt.hits(SplitMix64.value(seed: streams.corrupt, index: order)) else {
            return HeldPacket.noBit
        }
        let bits = UInt64(max(frameBytes - Frame.headerBytes, 1)) * 8
        let random = SplitMix64.value(seed: streams.corruptBit, index: order)
        return UInt32(truncatingIfNeeded: bits.multipliedFullWidth(by: random).high)
    }

    /// When to ask for departures again: exactly when the next packet leaves, if nothing arrives before. Nil where
    /// none will: the pipeline is empty, or what is left in it is held for ever.
    ///
    /// Packets that the bottleneck drops until then are not worth waking for; they are told with the next departure.
    public var nextDeparture: LinkTime? {
        // Changes nothing; but from a pipeline in a class or an array, the compiler would copy it for a plain getter,
        // with a retain for each of its arrays, which takes longer than all the rest for a packet.
        mutating get {
            var time = bottleneck.firstTime
            if time == .max {
                if bottleneck.isLimited, let next = delayLine.first {
                    time = bottleneck.end(of: next)
                } else {
                    time = delayLine.firstTime
                }
            }
            return time < Timeline.endless ? LinkTime(nanoseconds: time) : nil
        }
    }

    /// Gives back, in the order of their times, the packets that leave or are dropped by `now`; nil where no more do.
    ///
    /// A packet that is accepted afterwards counts as arriving at `now`, if it came before. `.never` lets out all that
    /// ever leaves, and no time pass.
    public mutating func popDeparture(upTo now: LinkTime) -> Departure? {
        let limit = min(now.nanoseconds, Timeline.endless - 1)
        if now < .never { lastArrival = max(limit, lastArrival) }
        guard bottleneck.isLimited else {
            guard delayLine.firstTime <= limit else { return nil }
            held -= 1
            return delayLine.removeFirst().departure()
        }
        while true {
            let (sent, next) = (bottleneck.firstTime, delayLine.firstTime)
            // What leaves at the very moment at which another comes makes room for it.
            if next <= limit, next < sent {
                let packet = delayLine.removeFirst()
                if let reason = bottleneck.enqueue(packet) {
                    held -= 1
                    return packet.departure(drop: reason)
                }
            } else {
                guard sent <= limit else { return nil }
                held -= 1
                return bottleneck.removeFirst().departure()
            }
        }
    }
}
