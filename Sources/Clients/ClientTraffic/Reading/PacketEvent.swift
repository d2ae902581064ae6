// SPDX-License-Identifier: Apache-2.0

/// What happened to a packet at a moment. Comparable by that moment.
protocol PacketEvent: Comparable {
    /// The time in nanoseconds since 1970.
    var time: Int64 { get }
    /// The packet's number in the capture, which orders what happened at one moment.
    var number: UInt32 { get }
}

extension PacketEvent {
    func isBefore(_ other: some PacketEvent) -> Bool { (time, number) < (other.time, other.number) }

    static func < (first: Self, second: Self) -> Bool { first.isBefore(second) }
    static func == (first: Self, second: Self) -> Bool { (first.time, first.number) == (second.time, second.number) }
}
