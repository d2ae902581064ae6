// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinkProfiles
internal import Synchronization

/// The counters of a pump, in memory that other threads and, by its descriptor, other processes read while the pump
/// runs: words of 64 bits in the machine's byte order. Only the pump can write to it.
///
/// The words are a sequence number, odd while the page is being written; the number of words of a lane; bytes of memory
/// in use; frames delivered unconditioned; devices lost; frames missed; then uplink, downlink and DNS, each in the
/// order of ``LaneCounters``, followed by the drops in the order of ``DropReason``; then, for the conditions in use,
/// the packets that came, the packets that each fault has hit, the connections that each fault concerns, and the
/// packets of each step of the schedule.
///
/// Unchecked for the pointer: the words that it points to are atomic.
package final class CounterPage: @unchecked Sendable {
    private static let head = 6
    private static let lanes = Lane.allCases.count
    private static let hits = head + lanes * LaneCounters.words
    private static let faults = hits + 1
    private static let faultConnections = faults + Fault.mostInProfile
    private static let scheduleSteps = faultConnections + Fault.mostInProfile
    private static let words = scheduleSteps + maximumScheduleSteps

    /// The number of steps of a schedule whose packets are counted: the first ones.
    package static let maximumScheduleSteps = 64

    private let memory: SharedWords
    private let page: UnsafeMutablePointer<Atomic<UInt64>>

    /// Makes a page of zeros; nil if there is no memory or no descriptor.
    init?() {
        guard let memory = SharedWords("linkcond-counters", count: Self.words) else { return nil }
        (self.memory, page) = (memory, memory.start)
        page[1].store(UInt64(LaneCounters.words), ordering: .relaxed)
    }

    /// Maps the page of a pump that may be in another process; nil if the descriptor is not a counter page.
    package init?(descriptor: Int32) {
        guard let memory = SharedWords(descriptor: descriptor, count: Self.words) else { return nil }
        (self.memory, page) = (memory, memory.start)
        guard page[1].load(ordering: .relaxed) == UInt64(LaneCounters.words) else { return nil }
    }

    /// A descriptor of the memory, for another process to map; closed with this object.
    package var descriptor: Int32 { memory.descriptor }

    /// Whether both are the page of one pump: the same memory.
    package func isSame(as other: CounterPage) -> Bool { memory.isSame(as: other.memory) }

    /// A consistent snapshot of the counters.
    package struct Reading: Equatable, Sendable {
        /// Bytes of memory that frames take now.
        package internal(set) var memory: UInt64 = 0
        /// Frames delivered unconditioned: ARP, neighbour discovery, DHCP, and frames that are not IP.
        package internal(set) var untouched: UInt64 = 0
        /// TAP devices that were deleted while the pump runs: their traffic is no longer carried.
        package internal(set) var lostDevices: UInt64 = 0
        /// Frames that were lost before the pump could read them: no link lost them.
        package internal(set) var missed: UInt64 = 0
        package internal(set) var uplink = LaneCounters()
        package internal(set) var downlink = LaneCounters()
        package internal(set) var dns = LaneCounters()
        /// Packets that came since the conditions in use took effect.
        package internal(set) var packets: UInt64 = 0
        /// Packets that each fault of the conditions in use has hit, in the order of the faults.
        package internal(set) var faults = [UInt64](repeating: 0, count: Fault.mostInProfile)
        /// The number of connections that each of these faults concerns.
        package internal(set) var faultConnections = [UInt64](repeating: 0, count: Fault.mostInProfile)
        /// Packets that came in each step of the schedule in use, in the directions that the step changes.
        package internal(set) var scheduleSteps = [UInt64](repeating: 0, count: maximumScheduleSteps)

        package subscript(lane: Lane) -> LaneCounters {
            switch lane {
            case .uplink: uplink
            case .downlink: downlink
            case .dns: dns
            }
        }
    }

    /// Reads the counters, from any thread, without blocking the pump.
    ///
    /// If the pump was killed or stopped while it wrote, the snapshot mixes old and new counters.
    package func read() -> Reading {
        // The pump writes for a microsecond, some hundred times a second.
        for _ in 0..<1000 {
            let before = page[0].load(ordering: .acquiring)
            if before & 1 == 0 {
                let reading = content
                atomicMemoryFence(ordering: .acquiring)
                if page[0].load(ordering: .relaxed) == before { return reading }
            }
            sched_yield()
        }
        return content
    }

    private var content: Reading {
        Reading(
            memory: page[2].load(ordering: .relaxed),
            untouched: page[3].load(ordering: .relaxed),
            lostDevices: page[4].load(ordering: .relaxed),
            missed: page[5].load(ordering: .relaxed),
            uplink: counters(.uplink),
            downlink: counters(.downlink),
            dns: counters(.dns),
            packets: page[Self.hits].load(ordering: .relaxed),
            faults: words(Fault.mostInProfile, from: Self.faults),
            faultConnections: words(Fault.mostInProfile, from: Self.faultConnections),
            scheduleSteps: words(Self.maximumScheduleSteps, from: Self.scheduleSteps)
        )
    }

    private func words(_ count: Int, from start: Int) -> [UInt64] {
        (start..<start + count).map { page[$0].load(ordering: .relaxed) }
    }

    private func counters(_ lane: Lane) -> LaneCounters {
        var result = LaneCounters()
        let start = page + Self.head + lane.rawValue * LaneCounters.words
        withUnsafeMutableBytes(of: &result) { bytes in
            let words = bytes.bindMemory(to: UInt64.self)
            for index in 0..<LaneCounters.words { words[index] = start[index].load(ordering: .relaxed) }
        }
        return result
    }

    /// Marks the page as being written; returns the sequence number before.
    @discardableResult
    func beginWriting() -> UInt64 {
        let sequence = page[0].load(ordering: .relaxed)
        page[0].store(sequence &+ 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        return sequence
    }

    /// Writes the counters to the page; only from the pump's thread.
    ///
    /// - Parameters:
    ///   - hits: the packets that the faults and schedule steps of the conditions in use have met.
    ///   - connections: the number of connections that each fault concerns; nil without faults.
    func publish(
        _ counters: UnsafePointer<LaneCounters>,
        memory: UInt64,
        untouched: UInt64,
        lostDevices: UInt64,
        missed: UInt64,
        hits: borrowing HitCounter,
        connections: [Int]?
    ) {
        let sequence = beginWriting()
        page[2].store(memory, ordering: .relaxed)
        page[3].store(untouched, ordering: .relaxed)
        page[4].store(lostDevices, ordering: .relaxed)
        page[5].store(missed, ordering: .relaxed)
        let words = UnsafeRawPointer(counters).assumingMemoryBound(to: UInt64.self)
        let start = page + Self.head
        for index in 0..<Self.lanes * LaneCounters.words { start[index].store(words[index], ordering: .relaxed) }
        let arrivals = HitCounter.Arrivals(counters)
        page[Self.hits].store(hits.packets(of: arrivals), ordering: .relaxed)
        if let faults = hits.faults {
            store(faults, at: Self.faults)
            let connections = connections ?? []
            for index in 0..<Fault.mostInProfile {
                let count = index < connections.count ? connections[index] : 0
                page[Self.faultConnections + index].store(UInt64(count), ordering: .relaxed)
            }
        }
        if let steps = hits.scheduleSteps(arrivals) { store(steps, at: Self.scheduleSteps) }
        page[0].store(sequence &+ 2, ordering: .releasing)
    }

    private func store(_ words: [UInt64], at start: Int) {
        precondition(start + words.count <= Self.words, "more is counted than the page has words for")
        for (index, word) in words.enumerated() { page[start + index].store(word, ordering: .relaxed) }
    }
}
