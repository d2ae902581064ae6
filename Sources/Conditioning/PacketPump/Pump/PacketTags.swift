// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// Maps the tags of packets in pipelines to wire packets of stored frames.
struct PacketTags: ~Copyable {
    struct Slot {
        /// The frame; nil for a free slot, whose `segment` is the next free slot.
        var frame: UnsafeMutableRawPointer?
        var segment: UInt32
        /// The copies that have yet to depart, a bit for each: the lowest for the packet itself.
        var copies: UInt16
        /// The number of the pipeline that holds the packet.
        var owner: UInt16
    }

    private let slots: UnsafeMutablePointer<Slot>
    private let capacity: Int
    private var touched = 0
    private var firstFree = UInt32.max

    /// Makes `capacity` tags; nil if the address space is exhausted.
    init?(capacity: Int) {
        precondition(capacity < UInt32.max, "the last tag means none")
        guard let start = lc_reserve(UInt(capacity * MemoryLayout<Slot>.stride)) else { return nil }
        slots = start.bindMemory(to: Slot.self, capacity: capacity)
        self.capacity = capacity
    }

    deinit { lc_unreserve(slots, UInt(capacity * MemoryLayout<Slot>.stride)) }

    /// Allocates a tag for a wire packet; nil if all are in use.
    @inline(__always) mutating func allocate(_ frame: StoredFrame, _ segment: Int, for owner: UInt16) -> UInt32? {
        let tag: UInt32
        if firstFree != .max {
            tag = firstFree
            precondition(slots[Int(tag)].frame == nil, "a tag in use is among the free ones")
            firstFree = slots[Int(tag)].segment
        } else {
            guard touched < capacity else { return nil }
            tag = UInt32(truncatingIfNeeded: touched)
            touched &+= 1
        }
        slots[Int(tag)] = Slot(
            frame: frame.start,
            segment: UInt32(truncatingIfNeeded: segment),
            copies: 1,
            owner: owner
        )
        return tag
    }

    /// Sets the number of departures of a tag's packet.
    @inline(__always) func setCopies(_ tag: UInt32, _ copies: Int) {
        precondition(1...UInt16.bitWidth ~= copies && slots[Int(tag)].copies == 1, "the copies were counted before")
        slots[Int(tag)].copies = UInt16(truncatingIfNeeded: (1 << copies) - 1)
    }

    /// Returns the packet of which a copy departs from a pipeline; the last departure of a packet releases its tag.
    @inline(__always)
    mutating func resolve(_ tag: UInt32, copy: UInt8, of owner: UInt16) -> (frame: StoredFrame, segment: Int) {
        precondition(Int(tag) < touched, "departure with a tag that was never given")
        let slot = slots[Int(tag)]
        guard let start = slot.frame else { preconditionFailure("departure with an unknown tag") }
        precondition(slot.owner == owner, "departure of another pipeline's packet")
        precondition(slot.copies & (1 << UInt16(copy)) != 0, "a copy departs twice")
        let rest = slot.copies & ~(1 << UInt16(copy))
        if rest > 0 {
            slots[Int(tag)].copies = rest
        } else {
            release(tag)
        }
        return (StoredFrame(start), Int(slot.segment))
    }

    /// Releases a tag.
    @inline(__always) mutating func release(_ tag: UInt32) {
        precondition(slots[Int(tag)].frame != nil, "a tag is released twice")
        slots[Int(tag)] = Slot(frame: nil, segment: firstFree, copies: 0, owner: 0)
        firstFree = tag
    }

    /// Releases all tags of a pipeline; returns the packets that have yet to depart, and which of them are copies.
    mutating func releaseAll(of pipeline: UnsafeMutablePointer<RunningPipeline>) -> [(part: FramePart, isCopy: Bool)] {
        var packets: [(part: FramePart, isCopy: Bool)] = []
        for index in 0..<touched where slots[index].owner == pipeline.pointee.number {
            let slot = slots[index]
            guard let start = slot.frame else { continue }
            release(UInt32(truncatingIfNeeded: index))
            let frame = StoredFrame(start)
            let isWhole = !pipeline.pointee.needs.wirePackets
            let part = isWhole ? frame.whole : FramePart(frame: frame, first: Int(slot.segment))
            if slot.copies & 1 > 0 { packets.append((part, false)) }
            for _ in 0..<(slot.copies >> 1).nonzeroBitCount { packets.append((part, true)) }
        }
        return packets
    }
}
