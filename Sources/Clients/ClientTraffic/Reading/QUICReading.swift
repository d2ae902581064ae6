// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Reads facts about QUIC from the headers of a flow's datagrams.
struct QUICReading {
    private(set) var use = QUICUse()
    /// The length of the longest datagram that the client has sent so far.
    private var longest = 0

    mutating func add(
        _ payload: ArraySlice<UInt8>,
        length: Int,
        from side: Connection.Side,
        _ timed: TimedPacket,
        _ budget: ReadingBudget
    ) {
        guard !timed.isDamaged, !timed.isInjected else { return }
        if side == .client {
            guard timed.isSent else { return }
            longest = max(longest, length)
            if QUICHeader.isInitial(payload) { use.initials.appendThinned(timed.observed, budget, by: \.sent) }
            if QUICHeader.isShort(payload) { use.shorts.appendThinned(timed.observed, budget, by: \.sent) }
        } else if timed.observed.delivered != nil, length >= longest, longest > 0, use.longAnswer == nil {
            use.longAnswer = timed.observed
        }
    }
}

/// Facts about a flow's QUIC packets.
package struct QUICUse: Hashable, Sendable {
    /// Initial packets of the client: at most one a millisecond.
    package var initials: [ObservedPacket] = []
    /// The client's packets with a short header, which show that the connection was established; at most one a
    /// millisecond.
    package var shorts: [ObservedPacket] = []
    /// The first answer at least as long as the client's longest datagram: it is no stateless reset, which is shorter
    /// (RFC 9000, section 10.3.3).
    package var longAnswer: ObservedPacket?

    package init() {}
}
