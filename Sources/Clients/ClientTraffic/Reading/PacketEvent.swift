// SPDX-License-Identifier: Apache-2.0

/// The sending or delivery of a packet. Comparable by its time.
protocol PacketEvent: Comparable {
    /// The time in nanoseconds since 1970.
    var time: Int64 { get }
    /// The packet's number in the capture, which orders events of the same time.
    var number: UInt32 { get }
}

extension PacketEvent {
    func isBefore(_ other: some PacketEvent) -> Bool { (time, number) < (other.time, other.number) }

    static func < (first: Self, second: Self) -> Bool { first.isBefore(second) }
    static func == (first: Self, second: Self) -> Bool { (first.time, first.number) == (second.time, second.number) }
}
