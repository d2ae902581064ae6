// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkProfiles
internal import Synchronization

/// A ring in which a pump records packets, with their bytes and their fates, for a reader on another thread.
///
/// The pump never waits for the reader. Records without room are lost, and counted as `RecordedPacket.lost`.
///
/// Unchecked for the pointers: one thread writes and one reads; `head` and `tail` separate their parts of the ring.
package final class PacketRecorder: @unchecked Sendable {
    /// The number of bytes of a packet that are kept.
    package struct Limits: Sendable {
        /// The bytes kept of each packet; nil to keep all of them while packets do not exceed ``rate``.
        package var snapLength: Int?
        /// The bytes per second above which packets that are delivered together share one record and, if ``snapLength``
        /// is nil, only headers are kept.
        package var rate = 12_500_000
        /// The bytes by which packets may exceed the rate for a while.
        package var burst = 4_000_000

        package init() {}
    }

    /// The bytes kept of a packet that is cut to its headers: Ethernet with two tags, IPv6, TCP with options.
    package static let headerLength = 128

    /// The bytes kept of a packet that may be a DNS answer, where only headers are kept of others.
    static let answerLength = 4_096

    /// The characters of a profile's name that are kept.
    private static let longestName = 200

    /// The bytes that are kept of the words about a lane.
    private static let longestWords = 2_000

    /// The bytes of a full-size Ethernet frame with a tag.
    private static let longestPacket = 1518

    /// The state that only the pump's thread uses.
    private struct Producer {
        var lost: UInt32 = 0
        /// The number of recorded arrivals of frames that the host sent, and of frames that it received.
        var arrivals = (sent: UInt64(0), received: UInt64(0))
        var allowance: Int
        var refilled: Int64 = 0
    }

    /// The bytes of a record before those of its packet: the record's size, or 0 if the next record is at the ring's
    /// start, and a `RecordedPacket`.
    private static let prefix = 8 + MemoryLayout<RecordedPacket>.stride
    private let limits: Limits
    private let ring: UnsafeMutableRawPointer
    private let capacity: Int
    private let producer: UnsafeMutablePointer<Producer>
    private let head = Atomic<Int>(0)
    private let tail = Atomic<Int>(0)
    private let allLost = Atomic<Int>(0)

    /// Makes a recorder; nil if the address space is exhausted.
    ///
    /// - Parameter capacity: the ring's bytes, a power of two. They take memory when they are first used.
    package init?(_ limits: Limits = Limits(), capacity: Int = 1 << 25) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "no power of two")
        guard let ring = lc_reserve(UInt(capacity)) else { return nil }
        self.ring = ring
        self.capacity = capacity
        self.limits = limits
        producer = .allocate(capacity: 1)
        producer.initialize(to: Producer(allowance: limits.burst))
    }

    deinit {
        lc_unreserve(ring, UInt(capacity))
        producer.deallocate()
    }

    /// The number of packets that were lost for lack of memory.
    package var lost: Int { allLost.load(ordering: .relaxed) }

    /// Records that a frame has arrived, with the number of packets whose fates are to come.
    ///
    /// - Returns: the number of the arrival in its direction; 0 if there is no room.
    func arrive(at time: Int64, pieces: Int, _ lane: Lane) -> UInt64 {
        let number = (lane == .downlink ? producer.pointee.arrivals.received : producer.pointee.arrivals.sent) + 1
        guard store(RecordedPacket(.arrival, at: time, number: number, pieces: pieces, lane)) else { return 0 }
        if lane == .downlink {
            producer.pointee.arrivals.received = number
        } else {
            producer.pointee.arrivals.sent = number
        }
        return number
    }

    /// Records that `pieces` more fates of an arrival are to come.
    func change(_ number: UInt64, by pieces: Int, at time: Int64, _ lane: Lane) {
        guard number != 0 else { return }
        _ = store(RecordedPacket(.duplication, at: time, number: number, pieces: pieces, lane))
    }

    /// Counts packets as lost that the pump has not read.
    func miss(_ count: UInt64) {
        producer.pointee.lost &+= UInt32(truncatingIfNeeded: count)
        allLost.store(allLost.load(ordering: .relaxed) + Int(count), ordering: .relaxed)
    }

    /// Records that the conditions of the profile `name` apply to packets that arrive from now on.
    func change(to name: String, at time: Int64) {
        var packet = RecordedPacket(.conditions, at: time, number: 0, pieces: 0)
        var name = String(name.prefix(Self.longestName))
        name.withUTF8 { bytes in
            packet.kept = UInt32(truncatingIfNeeded: bytes.count)
            _ = store(packet, UnsafeRawBufferPointer(bytes))
        }
    }

    /// Records that a pipeline of this seed and start decides about the packets of a lane that arrive from now on.
    ///
    /// - Parameter words: what shares or manages its bottleneck; empty if nothing does.
    func describe(_ lane: Lane, _ words: [String], seed: UInt64, start: Int64, at time: Int64) {
        var packet = RecordedPacket(.lane, at: start, number: seed, pieces: 0, lane)
        packet.due = time
        var text = words.joined(separator: "\n")
        text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).prefix(Self.longestWords))
            packet.kept = UInt32(truncatingIfNeeded: bytes.count)
            _ = store(packet, bytes)
        }
    }

    /// Adds a packet without its bytes.
    func add(_ packet: RecordedPacket) { _ = store(packet) }

    /// Adds a packet whose bytes are in two parts.
    func add(_ packet: consuming RecordedPacket, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) {
        add(packet, first, second, atMost: kept(first.count + second.count, packet.arrival))
    }

    /// Adds a packet whose bytes are in two parts, of which at most `limit` are kept.
    func add(
        _ packet: consuming RecordedPacket,
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        atMost limit: Int
    ) {
        let length = first.count + second.count
        let kept = min(length, limit)
        packet.length = UInt32(truncatingIfNeeded: length)
        packet.kept = UInt32(truncatingIfNeeded: kept)
        let whole = min(kept, first.count)
        _ = store(
            packet,
            UnsafeRawBufferPointer(rebasing: first.prefix(whole)),
            UnsafeRawBufferPointer(rebasing: second.prefix(kept - whole))
        )
    }

    /// Whether packets arrive too fast for one record each.
    @inline(__always) var isCrowded: Bool { producer.pointee.allowance < Self.longestPacket }

    /// Returns the number of a packet's bytes to keep, and subtracts the packet's length from the allowance if there is
    /// enough.
    private func kept(_ length: Int, _ time: Int64) -> Int {
        let producer = producer
        let elapsed = time - producer.pointee.refilled
        // Refilled once in a millisecond: the division would cost more than the rest.
        if elapsed > 1_000_000 {
            let earned = elapsed > 1_000_000_000 ? limits.burst : Int(elapsed / 1000) * limits.rate / 1_000_000
            producer.pointee.allowance = min(limits.burst, producer.pointee.allowance + earned)
            producer.pointee.refilled = time
        }
        guard producer.pointee.allowance >= max(length, Self.longestPacket) else {
            return min(length, limits.snapLength ?? Self.headerLength)
        }
        producer.pointee.allowance -= length
        return min(length, limits.snapLength ?? length)
    }

    /// Stores a packet with its bytes; if there is no room, counts it as lost and returns false.
    private func store(
        _ packet: consuming RecordedPacket,
        _ first: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> Bool {
        let size = (Self.prefix + first.count + second.count + 7) & ~7
        let start = head.load(ordering: .relaxed)
        let offset = start & (capacity - 1)
        precondition(offset & 7 == 0 && start >= tail.load(ordering: .relaxed), "the ring's head is behind its tail")
        // A record does not wrap around.
        let skipped = capacity - offset < size ? capacity - offset : 0
        guard start + skipped + size - tail.load(ordering: .acquiring) <= capacity else {
            producer.pointee.lost &+= 1
            allLost.store(allLost.load(ordering: .relaxed) + 1, ordering: .relaxed)
            return false
        }
        precondition(Int(packet.kept) == first.count + second.count, "a record of other bytes")
        packet.lost = producer.pointee.lost
        producer.pointee.lost = 0
        if skipped > 0 { (ring + offset).storeBytes(of: 0, as: Int.self) }
        let target = ring + (skipped > 0 ? 0 : offset)
        target.storeBytes(of: size, as: Int.self)
        target.storeBytes(of: packet, toByteOffset: 8, as: RecordedPacket.self)
        if let start = first.baseAddress { (target + Self.prefix).copyMemory(from: start, byteCount: first.count) }
        if let start = second.baseAddress {
            (target + Self.prefix + first.count).copyMemory(from: start, byteCount: second.count)
        }
        head.store(start + skipped + size, ordering: .releasing)
        return true
    }

    /// Calls `body` with each record and the bytes kept of its packet, which are valid only during the call, and frees
    /// the record. On the reader's thread only.
    package func drain(_ body: (RecordedPacket, UnsafeMutableRawBufferPointer) -> Void) {
        let end = head.load(ordering: .acquiring)
        var start = tail.load(ordering: .relaxed)
        while start < end {
            let offset = start & (capacity - 1)
            let record = ring + offset
            let size = record.load(as: Int.self)
            if size > 0 {
                precondition(
                    size >= Self.prefix && size <= min(end - start, capacity - offset),
                    "no record begins here"
                )
                let packet = record.load(fromByteOffset: 8, as: RecordedPacket.self)
                precondition(Int(packet.kept) <= size - Self.prefix, "a packet beyond its record")
                body(packet, UnsafeMutableRawBufferPointer(start: record + Self.prefix, count: Int(packet.kept)))
                start += size
            } else {
                start += capacity - offset
            }
            tail.store(start, ordering: .releasing)
        }
    }
}
