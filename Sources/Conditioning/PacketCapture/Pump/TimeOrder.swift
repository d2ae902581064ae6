// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Puts packets into the order in which their sender or receiver saw them.
///
/// A link decides late what becomes of a packet that has arrived long ago, and others that are seen later are decided
/// before. A packet is given out when none that is still undecided can come before it.
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

    /// Packets that are seen as of their arrival, whose fates are still to come.
    var arrivals = UndecidedArrivals()
    private var queue: MergeQueue<Entry>
    private var added: UInt64 = 0
    private let limit: Int
    /// The bytes of the packets that wait.
    private(set) var size = 0

    /// - Parameters:
    ///   - streams: the number of streams whose packets are mostly added in the order of their times.
    ///   - limit: the bytes of waiting packets above which the earliest are given out without waiting further.
    init(streams: Int = 1, limit: Int) {
        queue = MergeQueue(streams: streams)
        self.limit = limit
    }

    /// The time of the first packet that waits; nil if none does.
    var firstTime: Int64? { queue.first?.time }

    /// The time before which no packet will be added any more.
    ///
    /// - Parameter now: all that is still to arrive is seen at this time or after it.
    func horizon(now: Int64) -> Int64 { min(arrivals.firstTime ?? now, now) }

    /// The packets that have been added and not yet been given out, in no order.
    var waiting: some Sequence<Packet> { queue.elements.lazy.map(\.packet) }

    /// Adds a packet of a stream that was seen at `time`.
    ///
    /// - Parameter position: puts packets of the same time into order, such as the parts of one super-packet.
    mutating func add(_ packet: Packet, time: Int64, position: UInt64 = 0, size: Int, stream: Int = 0) {
        queue.add(Entry(time: time, position: position, number: added, size: size, packet: packet), stream: stream)
        added += 1
        self.size += size
    }

    /// The next packet; nil if one that is undecided may come before it.
    ///
    /// - Parameter now: all later packets are seen at this time or after it.
    mutating func next(now: Int64) -> Packet? {
        // What arrived with one that is undecided may follow it: a super-packet's second part is often decided first.
        let (undecided, isFull) = (arrivals.firstTime ?? .max, size > limit)
        guard let entry = queue.removeFirst(where: { isFull || $0.time <= now && $0.time < undecided }) else {
            return nil
        }
        size -= entry.size
        return entry.packet
    }
}
