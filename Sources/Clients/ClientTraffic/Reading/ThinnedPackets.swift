// SPDX-License-Identifier: Apache-2.0

extension [ObservedPacket] {
    /// Adds a packet, unless the last one that was kept is less than a millisecond before it, or there is no memory.
    /// Packets must be added in the order of `time`.
    mutating func appendThinned(
        _ packet: ObservedPacket,
        _ budget: ReadingBudget,
        by time: (ObservedPacket) -> Instant
    ) {
        if let last, time(packet) - time(last) < .milliseconds(1) { return }
        if budget.reservePacket() { append(packet) }
    }
}
