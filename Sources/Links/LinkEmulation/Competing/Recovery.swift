// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// A reduction of the congestion window. It sends in proportion to what arrives (RFC 6937, as `tcp_cwnd_reduction` of Linux),
/// and lasts until all has arrived that was sent before it (RFC 6675): a lost repair does not reduce the window again.
struct Recovery: Sendable {
    /// The first packet after it.
    private let end: UInt64
    /// The window at its start.
    private let window: Int
    private var delivered = 0
    private var sent = 0
    /// The number of lost packets that have not been sent again.
    private var missing: Int
    /// The packets that were sent in place of lost ones, and have not been acknowledged.
    private var repairs: Deque<UInt64> = []
    private var hasReachedEnd = false
    /// The number of packets that were sent since its start, not as repairs, and lost.
    private(set) var laterLosses = 0

    init(end: UInt64, window: Int, missing: Int = 0) {
        (self.end, self.window, self.missing) = (end, window, missing)
    }

    /// Whether all has arrived that was sent before.
    var isOver: Bool { hasReachedEnd && missing == 0 && repairs.isEmpty }

    /// Whether the last lost packet comes again only after this one.
    func isRepaired(after number: UInt64) -> Bool { missing > 0 || repairs.last.map { $0 > number } ?? false }

    mutating func noteSending(of number: UInt64) {
        sent += 1
        guard missing > 0 else { return }
        missing -= 1
        repairs.append(number)
    }

    /// Notes an acknowledgement of `count` packets up to `number`, except those that are in `dropped`.
    mutating func noteDelivery(of count: Int, upTo number: UInt64, except dropped: some Collection<UInt64>) {
        delivered += count
        hasReachedEnd = number >= end && dropped.first.map { $0 >= end } != false
        repairs.removeAll { $0 <= number && !dropped.contains($0) }
    }

    mutating func noteLoss(of number: UInt64) {
        if number < end {
            missing += 1
        } else if let index = repairs.firstIndex(of: number) {
            repairs.remove(at: index)
            missing += 1
        } else {
            laterLosses += 1
        }
    }

    /// The number of packets to send now.
    ///
    /// - Parameters:
    ///   - threshold: the window to reach.
    ///   - acknowledged: the packets that have arrived since the last time.
    func room(inFlight: Int, threshold: Int, acknowledged: Int) -> Int {
        let lacking = threshold - inFlight
        // What was lost is sent again at once.
        let least = sent == 0 ? 1 : 0
        guard lacking >= 0 else { return max((threshold * delivered + window - 1) / window - sent, least) }
        return max(min(max(delivered - sent, acknowledged) + 1, lacking), least)
    }
}
