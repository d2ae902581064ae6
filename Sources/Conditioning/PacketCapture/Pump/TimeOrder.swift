// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Puts packets into the order in which their sender or receiver saw them.
///
/// A link may decide the fate of a packet long after its arrival, and the fates of later packets before. So a packet is
/// returned only when no undecided packet can precede it.
struct TimeOrder<Packet> {
    private struct Entry: Comparable {
        let time: Int64
        let position: UInt64
        /// Keeps packets of the same time and position in the order in which they were added.
        let number: UInt64
        let size: Int
        let packet: Packet

        private var key: (Int64, UInt64, UInt64) { (time, position, number) }

        static func < (first: Self, second: Self) -> Bool { first.key < second.key }
        static func == (first: Self, second: Self) -> Bool { first.key == second.key }
    }

    /// Packets that are ordered by their arrival, and whose fates are still to come.
    var arrivals = UndecidedArrivals()
    private var queue: MergeQueue<Entry>
    private var added: UInt64 = 0
    private let limit: Int
    /// The bytes of the waiting packets.
    private(set) var size = 0

    /// - Parameters:
    ///   - streams: the number of streams whose packets are mostly added in the order of their times.
    ///   - limit: the bytes of waiting packets above which the earliest are returned without waiting further.
    init(streams: Int = 1, limit: Int) {
        queue = MergeQueue(streams: streams)
        self.limit = limit
    }

    /// The time of the first waiting packet; nil if none waits.
    var firstTime: Int64? { queue.first?.time }

    /// The time before which no packet will be added any more.
    ///
    /// - Parameter now: packets that are still to arrive are seen at this time or after it.
    func horizon(now: Int64) -> Int64 { min(arrivals.firstTime ?? now, now) }

    /// The waiting packets, in no order.
    var waiting: some Sequence<Packet> { queue.elements.lazy.map(\.packet) }

    /// Adds a packet of a stream that was seen at `time`.
    ///
    /// - Parameter position: orders packets of the same time, such as the parts of one super-packet.
    mutating func add(_ packet: Packet, time: Int64, position: UInt64 = 0, size: Int, stream: Int = 0) {
        queue.add(Entry(time: time, position: position, number: added, size: size, packet: packet), stream: stream)
        added += 1
        self.size += size
    }

    /// Removes and returns the next packet; nil if an undecided packet may precede it.
    ///
    /// - Parameter now: all later packets are seen at this time or after it.
    mutating func next(now: Int64) -> Packet? {
        // A packet with the arrival time of an undecided one waits: a super-packet's second part is often decided
        // first.
        let (undecided, isFull) = (arrivals.firstTime ?? .max, size > limit)
        guard let entry = queue.removeFirst(where: { isFull || $0.time <= now && $0.time < undecided }) else {
            return nil
        }
        size -= entry.size
        return entry.packet
    }
}
