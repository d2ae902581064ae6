// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The bottleneck of the link: a FIFO buffer with tail drop, and the transmitter that empties it.
struct Bottleneck: Sendable {
    private var figures: BottleneckFigures
    private var transmitter: Transmitter
    /// The buffered packets, each with the time at which its last bit is sent.
    private var queue = HeldPacketQueue()
    private var queuedBytes = 0

    init(_ conditions: LaneConditions, start: LinkTime) {
        figures = BottleneckFigures(conditions, start: start)
        transmitter = Transmitter(conditions, start: start)
    }

    /// Whether the lane has a rate at any time; otherwise packets skip the bottleneck.
    @inline(__always)
    var isLimited: Bool { figures.isLimited }

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
        figures.advance(to: packet.time)
        let wireBytes = figures.wireBytes(packet.bytes)
        let capacity = figures.capacity
        // On an idle link a frame is sent at once, whatever the size of the buffer.
        if !queue.isEmpty,
            queue.count >= capacity.packets || queuedBytes > capacity.bytes - Int(wireBytes)
        {
            return figures.isHold ? .outage : .queueFull
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
        let wireBytes = figures.wireBytes(packet.bytes, at: packet.time)
        if let end = transmitter.steadyEnd(ofWireBytes: wireBytes, ready: packet.time) { return end }
        var transmitter = transmitter
        return transmitter.send(wireBytes: wireBytes, ready: packet.time)
    }
}
