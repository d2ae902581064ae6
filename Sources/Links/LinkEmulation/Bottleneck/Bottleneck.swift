// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The bottleneck of the link: a FIFO buffer with tail drop, and the transmitter that empties it.
struct Bottleneck: Sendable {
    private struct Interval: Sendable {
        let capacity: QueueCapacity
        let overhead: Overhead?
        let isHold: Bool
    }

    /// The limit of a frame's bytes on the wire, far above any real frame with overhead. It keeps the frame's work in
    /// the transmitter, its bytes × 8 × `RateSource.bit`, within 64 bits.
    private static let largestWireFrame = 1 << 30

    private var timeline: IntervalCursor
    private let intervals: [Interval]
    private var transmitter: Transmitter
    /// The buffered packets, each with the time at which its last bit is sent.
    private var queue = HeldPacketQueue()
    private var queuedBytes = 0

    /// Whether the lane has a rate at any time; otherwise packets skip the bottleneck.
    let isLimited: Bool

    init(_ conditions: LaneConditions, start: LinkTime) {
        let intervals = conditions.intervals
        let rates = intervals.map { Self.nominalRate($0.impairments, conditions.traces) }
        isLimited = rates.contains { $0 != nil }
        timeline = IntervalCursor(starts: intervals.map(\.start), period: conditions.period?.nanoseconds, origin: start)
        self.intervals = intervals.indices.map { index in
            let impairments = intervals[index].impairments
            let isHold = impairments.rate?.isZero ?? false
            // While the schedule holds packets back (a rate of zero), the buffer's size follows the previous rate above
            // zero, or else the next one.
            let before = rates[..<index].reversed() + rates[index...].reversed()
            let lasting = before.first { $0?.isZero != true } ?? rates[index]
            return Interval(
                capacity: QueueCapacity(
                    impairments.queue,
                    rate: isHold ? lasting : rates[index],
                    overhead: impairments.overhead
                ),
                overhead: impairments.overhead,
                isHold: isHold
            )
        }
        transmitter = Transmitter(conditions, start: start)
    }

    /// Returns the rate that determines the buffer's size. For a trace, its mean rate: a real link's buffer does not
    /// change with its momentary rate.
    private static func nominalRate(_ impairments: Impairments, _ traces: [TraceReference: Trace]) -> BitRate? {
        guard let trace = impairments.trace.map({ traces[$0] }) ?? nil else { return impairments.rate }
        if let mean = trace.meanRate { return mean }
        guard case .rates(let steps) = trace.content else { return nil }
        return steps.last?.rate
    }

    /// The time at which the first buffered packet is sent; `Int64.max` if the buffer is empty.
    @inline(__always)
    var firstTime: Int64 { queue.firstTime }

    @inline(__always)
    mutating func removeFirst() -> HeldPacket {
        let packet = queue.removeFirst()
        queuedBytes -= Int(packet.bytes)
        precondition(queuedBytes >= 0 && (queuedBytes == 0 || !queue.isEmpty), "bytes without packets")
        return packet
    }

    /// Appends a packet to the buffer, and computes when it is sent; returns the reason if the packet is dropped, else
    /// nil.
    ///
    /// Packets must come in the order of their times. The caller must first remove packets that are sent by
    /// `packet.time`.
    @inline(__always)
    mutating func enqueue(_ packet: HeldPacket) -> DropReason? {
        timeline.advance(to: packet.time)
        let interval = intervals[timeline.index]
        let wireBytes = Self.wireBytes(packet.bytes, interval.overhead)
        // On an idle link a frame is sent at once, whatever the size of the buffer.
        if !queue.isEmpty,
            queue.count >= interval.capacity.packets || queuedBytes > interval.capacity.bytes - Int(wireBytes)
        {
            return interval.isHold ? .outage : .queueFull
        }
        var sent = packet
        sent.bytes = wireBytes
        sent.time = transmitter.send(wireBytes: wireBytes, ready: packet.time)
        precondition(sent.time >= packet.time, "a packet is sent before it came")
        precondition(sent.time >= queue.last?.time ?? .min, "a packet is sent before the one ahead of it")
        queue.append(sent)
        queuedBytes += Int(wireBytes)
        return nil
    }

    /// Returns the time at which `packet` would be sent if it were the next to reach the bottleneck.
    func end(of packet: HeldPacket) -> Int64 {
        var index = timeline.index
        if packet.time >= timeline.end {
            var ahead = timeline
            ahead.advance(to: packet.time)
            index = ahead.index
        }
        let wireBytes = Self.wireBytes(packet.bytes, intervals[index].overhead)
        if let end = transmitter.steadyEnd(ofWireBytes: wireBytes, ready: packet.time) { return end }
        var transmitter = transmitter
        return transmitter.send(wireBytes: wireBytes, ready: packet.time)
    }

    @inline(__always)
    private static func wireBytes(_ bytes: UInt32, _ overhead: Overhead?) -> UInt32 {
        guard let overhead else { return bytes }
        return UInt32(min(max(overhead.wireBytes(ofFrame: Int(bytes)), 1), largestWireFrame))
    }
}
