// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The traffic of a link in consecutive periods of one length, which doubles when a capture needs more than `limit`
/// periods.
package struct LinkHistory: Hashable, Sendable {
    /// The packets of one direction in one period.
    package struct Carried: Hashable, Sendable {
        /// Bytes of the packets that were delivered in the period.
        package var bytes = 0
        /// Packets that were delivered in the period.
        package var packets = 0
        /// The delays of the delivered packets whose fate was recorded.
        package var delays = DurationSummary()
        /// Packets that were sent in the period and that the link dropped, by reason.
        package var dropped: [DropReason?: Int] = [:]

        mutating func add(_ other: Carried) {
            bytes += other.bytes
            packets += other.packets
            delays.add(other.delays)
            dropped.merge(other.dropped, uniquingKeysWith: +)
        }
    }

    /// The packets of both directions in one period.
    package struct Piece: Hashable, Sendable {
        package var uplink = Carried()
        package var downlink = Carried()
        /// The round-trip times of established TCP connections whose answer was delivered in the period.
        package var roundTrips = DurationSummary()

        mutating func add(_ other: Piece) {
            uplink.add(other.uplink)
            downlink.add(other.downlink)
            roundTrips.add(other.roundTrips)
        }
    }

    /// The maximum number of pieces.
    static let limit = 1000

    /// The length of a piece, in nanoseconds.
    package private(set) var step: Int64 = 10_000_000
    /// The number of the first piece, which starts `first * step` nanoseconds after 1970.
    private var first: Int64 = 0
    /// The pieces in the order of time, without a gap.
    package private(set) var pieces: [Piece] = []

    package init() {}

    /// The start of the first piece.
    package var begin: Instant { Instant(nanoseconds: first * step) }

    /// The total traffic of the periods at `indices`.
    package func sum(of indices: Range<Int>) -> Piece { pieces[indices].reduce(into: Piece()) { $0.add($1) } }

    /// The total traffic of all periods.
    package var sum: Piece { sum(of: pieces.indices) }

    /// Changes the piece that contains `instant`.
    mutating func change(at instant: Instant, _ body: (inout Piece) -> Void) {
        body(&pieces[index(of: instant)])
    }

    /// The index of the piece that contains `instant`. Adds pieces, or doubles their length, where needed.
    private mutating func index(of instant: Instant) -> Int {
        while true {
            let number = instant.nanoseconds.dividedDown(by: step)
            guard !pieces.isEmpty else {
                first = number
                pieces = [Piece()]
                return 0
            }
            let last = max(number, first + Int64(pieces.count) - 1)
            guard last - min(number, first) < Self.limit else {
                double()
                continue
            }
            if number < first {
                pieces.insert(contentsOf: repeatElement(Piece(), count: Int(first - number)), at: 0)
                first = number
            }
            while first + Int64(pieces.count) <= number { pieces.append(Piece()) }
            return Int(number - first)
        }
    }

    private mutating func double() {
        let half = first.dividedDown(by: 2)
        var merged: [Piece] = []
        for (index, piece) in pieces.enumerated() {
            let target = Int((first + Int64(index)).dividedDown(by: 2) - half)
            if target == merged.count { merged.append(piece) } else { merged[target].add(piece) }
        }
        (first, step, pieces) = (half, step * 2, merged)
    }
}

extension Int64 {
    /// The quotient, rounded down.
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
