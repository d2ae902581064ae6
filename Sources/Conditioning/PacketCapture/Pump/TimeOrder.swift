// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// Puts packets into the order in which their sender or receiver saw them.
///
/// A link decides late what becomes of a packet that has arrived long ago, and others that are seen later are decided
/// before. A packet is given out when none that is still undecided can come before it.
struct TimeOrder<Packet> {
    private struct Entry {
        let time: Int64
        let position: UInt64
        /// Keeps packets of the same time and position in the order in which they were added.
        let number: UInt64
        let size: Int
        let packet: Packet

        func isBefore(_ other: Entry) -> Bool { key < other.key }
        var key: (Int64, UInt64, UInt64) { (time, position, number) }
    }

    /// Packets that are seen as of their arrival, whose fates are still to come.
    var arrivals = UndecidedArrivals()
    /// The packets of each stream that were added in the order of their times.
    private var ordered: [Deque<Entry>]
    /// The other packets: a binary heap, the earliest first.
    private var heap: [Entry] = []
    private var added: UInt64 = 0
    private let limit: Int
    /// The bytes of the packets that wait.
    private(set) var size = 0

    /// - Parameters:
    ///   - streams: the number of streams whose packets are mostly added in the order of their times.
    ///   - limit: the bytes of waiting packets above which the earliest are given out without waiting further.
    init(streams: Int = 1, limit: Int) {
        ordered = Array(repeating: Deque(), count: streams)
        self.limit = limit
    }

    /// The time of the first packet that waits; nil if none does.
    var firstTime: Int64? { first?.time }

    /// The time before which no packet will be added any more.
    ///
    /// - Parameter now: all that is still to arrive is seen at this time or after it.
    func horizon(now: Int64) -> Int64 { min(arrivals.firstTime ?? now, now) }

    /// The packets that have been added and not yet been given out, in no order.
    var waiting: some Sequence<Packet> {
        [ordered.lazy.joined().map(\.packet), heap.map(\.packet)].lazy.joined()
    }

    /// Adds a packet of a stream that was seen at `time`.
    ///
    /// - Parameter position: puts packets of the same time into order, such as the parts of one super-packet.
    mutating func add(_ packet: Packet, time: Int64, position: UInt64 = 0, size: Int, stream: Int = 0) {
        let entry = Entry(time: time, position: position, number: added, size: size, packet: packet)
        added += 1
        self.size += size
        guard let last = ordered[stream].last, entry.isBefore(last) else { return ordered[stream].append(entry) }
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// The next packet; nil if one that is undecided may come before it.
    ///
    /// - Parameter now: all later packets are seen at this time or after it.
    mutating func next(now: Int64) -> Packet? {
        guard let first, isNext(first.time, now) || size > limit else { return nil }
        let entry = first.stream.map { ordered[$0].removeFirst() } ?? removeFirstOfHeap()
        size -= entry.size
        return entry.packet
    }

    /// Whether nothing can come before a packet that was seen at `time`. What arrived with one that is undecided may follow
    /// it: a super-packet's second part is often decided first.
    private func isNext(_ time: Int64, _ now: Int64) -> Bool {
        time <= now && time < arrivals.firstTime ?? .max
    }

    /// Where the first packet is: in a stream, or in the heap.
    private var first: (time: Int64, stream: Int?)? {
        var earliest = heap.first.map { (key: $0.key, stream: Int?.none) }
        for stream in ordered.indices {
            guard let first = ordered[stream].first else { continue }
            if let found = earliest, found.key < first.key { continue }
            earliest = (first.key, stream)
        }
        return earliest.map { ($0.key.0, $0.stream) }
    }

    private mutating func removeFirstOfHeap() -> Entry {
        let first = heap[0]
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != index else { return first }
            heap.swapAt(index, least)
            index = least
        }
    }
}
