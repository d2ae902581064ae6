// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// What the tags of packets in pipelines stand for: a wire packet of a stored frame.
struct WireSlots: ~Copyable {
    struct Slot {
        /// The frame; of a free slot, the next free one in `segment`.
        var frame: UnsafeMutableRawPointer?
        var segment: UInt32
        /// Departures that will still name it.
        var copies: UInt16
        /// The number of the pipeline that it is in.
        var owner: UInt16
    }

    private let slots: UnsafeMutablePointer<Slot>
    private let capacity: Int
    private var touched = 0
    private var firstFree = UInt32.max

    /// Makes room for so many wire packets; nil where not even the address space is there.
    init?(capacity: Int) {
        guard let start = lc_reserve(UInt(capacity * MemoryLayout<Slot>.stride)) else { return nil }
        slots = start.bindMemory(to: Slot.self, capacity: capacity)
        self.capacity = capacity
    }

    deinit { lc_unreserve(slots, UInt(capacity * MemoryLayout<Slot>.stride)) }

    /// A tag for the packet; nil where all are taken.
    @inline(__always) mutating func take(_ frame: StoredFrame, _ segment: Int, for owner: UInt16) -> UInt32? {
        let tag: UInt32
        if firstFree != .max {
            tag = firstFree
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

    /// Says how many departures will name it.
    @inline(__always) func setCopies(_ tag: UInt32, _ copies: Int) {
        slots[Int(tag)].copies = UInt16(truncatingIfNeeded: copies)
    }

    /// What a departure is about; the last one of a packet frees its tag.
    @inline(__always) mutating func depart(_ tag: UInt32) -> (frame: StoredFrame, segment: Int) {
        let slot = slots[Int(tag)]
        guard let start = slot.frame else { preconditionFailure("a departure of a packet that is not there") }
        if slot.copies > 1 {
            slots[Int(tag)].copies = slot.copies &- 1
        } else {
            release(tag)
        }
        return (StoredFrame(start), Int(slot.segment))
    }

    /// Takes a tag back.
    @inline(__always) mutating func release(_ tag: UInt32) {
        slots[Int(tag)] = Slot(frame: nil, segment: firstFree, copies: 0, owner: 0)
        firstFree = tag
    }

    /// Takes back every tag of a pipeline, and hands over what they stood for.
    mutating func releaseAll(of owner: UInt16, _ body: (StoredFrame, _ segment: Int, _ copies: Int) -> Void) {
        for index in 0..<touched where slots[index].owner == owner {
            let slot = slots[index]
            guard let start = slot.frame else { continue }
            release(UInt32(truncatingIfNeeded: index))
            body(StoredFrame(start), Int(slot.segment), Int(slot.copies))
        }
    }
}
