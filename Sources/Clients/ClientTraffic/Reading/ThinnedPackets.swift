// SPDX-License-Identifier: Apache-2.0

extension [ObservedPacket] {
    /// Adds the next packet in the order of a time of theirs, unless one within the millisecond before is kept, or there is
    /// no memory for it.
    mutating func appendThinned(
        _ packet: ObservedPacket,
        _ budget: ReadingBudget,
        by time: (ObservedPacket) -> Instant
    ) {
        if let last, time(packet) - time(last) < .milliseconds(1) { return }
        if budget.reservePacket() { append(packet) }
    }
}
