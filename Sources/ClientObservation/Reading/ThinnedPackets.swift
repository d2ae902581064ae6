// SPDX-License-Identifier: Apache-2.0

/// Packets in the order of a time of theirs, at most one a millisecond: the first always.
struct ThinnedPackets {
    private static let step = 1_000_000

    private(set) var packets: [ObservedPacket] = []
    private let time: (ObservedPacket) -> Instant

    init(by time: @escaping (ObservedPacket) -> Instant) { self.time = time }

    /// Adds the next packet.
    mutating func add(_ packet: ObservedPacket) {
        if let last = packets.last, time(packet) - time(last) < .nanoseconds(Self.step) { return }
        packets.append(packet)
    }
}
