// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The slowest place of the link: a buffer, first in first out, that drops what comes when it is full, and a
/// transmitter behind it.
struct Bottleneck: Sendable {
    private struct Stretch: Sendable {
        let capacity: QueueCapacity
        let overhead: Overhead?
        let isHold: Bool
    }

    /// The work of which fits into 64 bits, and no frame of a profile's overhead comes near.
    private static let largestWireFrame = 1 << 30

    private var timeline: Timeline
    private let stretches: [Stretch]
    private var transmitter: Transmitter
    /// Each with the time at which it has been sent.
    private var queue = PacketRing()
    private(set) var queuedBytes = 0

    /// Whether anything ever has a rate; where not, packets need not pass here at all.
    let isLimited: Bool

    init(_ conditions: LaneConditions, start: LinkTime) {
        let stretches = conditions.stretches
        let rates = stretches.map { Self.nominalRate($0.impairments, conditions.traces) }
        isLimited = rates.contains { $0 != nil }
        timeline = Timeline(starts: stretches.map(\.start), period: conditions.period?.nanoseconds, origin: start)
        self.stretches = stretches.indices.map { index in
            let impairments = stretches[index].impairments
            let isHold = impairments.rate?.isZero ?? false
            // While nothing passes the buffer keeps the size that it had, or will have.
            let before = rates[..<index].reversed() + rates[index...].reversed()
            let lasting = before.first { $0?.isZero != true } ?? rates[index]
            return Stretch(
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

    /// A recording's mean where there is one: the buffer of a real link does not shrink with every fade.
    private static func nominalRate(_ impairments: Impairments, _ traces: [TraceReference: Trace]) -> BitRate? {
        guard let trace = impairments.trace.map({ traces[$0] }) ?? nil else { return impairments.rate }
        if let mean = trace.meanRate { return mean }
        guard case .rates(let steps) = trace.content else { return nil }
        return steps.last?.rate
    }

    @inline(__always)
    var count: Int { queue.count }

    /// When the packet leaves that leaves next; `Int64.max` where there is none.
    @inline(__always)
    var firstTime: Int64 { queue.firstTime }

    @inline(__always)
    mutating func removeFirst() -> HeldPacket {
        let packet = queue.removeFirst()
        queuedBytes -= Int(packet.bytes)
        return packet
    }

    /// Puts a packet behind the others as its time says; packets come in the order of their times, and all that has
    /// been sent by then must be gone. Returns why it does not fit, or nil.
    @inline(__always)
    mutating func enqueue(_ packet: HeldPacket) -> DropReason? {
        timeline.advance(to: packet.time)
        let stretch = stretches[timeline.index]
        let wireBytes = Self.wireBytes(packet.bytes, stretch.overhead)
        // A frame that finds the link idle is sent, however small the buffer.
        if !queue.isEmpty,
            queue.count >= stretch.capacity.packets || queuedBytes > stretch.capacity.bytes - Int(wireBytes)
        {
            return stretch.isHold ? .outage : .queueFull
        }
        var sent = packet
        sent.bytes = wireBytes
        sent.time = transmitter.send(wireBytes: wireBytes, ready: packet.time)
        queue.append(sent)
        queuedBytes += Int(wireBytes)
        return nil
    }

    /// When `packet` would have been sent if it were the next to come.
    func end(of packet: HeldPacket) -> Int64 {
        var index = timeline.index
        if packet.time >= timeline.end {
            var ahead = timeline
            ahead.advance(to: packet.time)
            index = ahead.index
        }
        let wireBytes = Self.wireBytes(packet.bytes, stretches[index].overhead)
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
