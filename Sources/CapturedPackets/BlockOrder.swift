// SPDX-License-Identifier: Apache-2.0

/// Puts encoded packets into the order in which they were seen: a ``TimeOrder`` of blocks of a file, which the compiler
/// specialises here, as it cannot in another module.
package struct BlockOrder {
    private var order: TimeOrder<[UInt8]>

    /// Makes an empty order of so many streams; see ``TimeOrder``.
    package init(streams: Int, limit: Int) { order = TimeOrder(streams: streams, limit: limit) }

    /// Notes that packets have arrived, `count` of whose fates are to come; returns the number of the arrival.
    package mutating func arrive(at time: Int64, count: Int) -> UInt64 { order.arrive(at: time, count: count) }

    /// Notes that `count` more fates of an arrival are to come, or fewer for a negative count: one is known.
    package mutating func change(_ arrival: UInt64, by count: Int) { order.change(arrival, by: count) }

    /// Waits for no fates of what has arrived so far.
    package mutating func forgetArrivals() { order.forgetArrivals() }

    /// The time of the first that waits; nil if none does.
    package var firstTime: Int64? { order.firstTime }

    /// The time before which none will be added any more, if what is still to arrive is seen at `now` or after it.
    package func horizon(now: Int64) -> Int64 { order.horizon(now: now) }

    /// Adds the blocks of a packet of a stream that was seen at `time`.
    package mutating func add(_ blocks: [UInt8], time: Int64, stream: Int) {
        order.add(blocks, time: time, size: blocks.count + 64, stream: stream)
    }

    /// The next; nil if one that is undecided may come before it.
    package mutating func next(now: Int64) -> [UInt8]? { order.next(now: now) }
}
