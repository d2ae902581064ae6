// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

extension ClientJudge {
    /// `sends keep-alives at least every 20 s`
    func keepingAlive(every limit: Duration, _ peer: Peer?) -> ClientFinding {
        let known = connections(to: peer).filter { isOwn($0) && $0.isEstablished }.compactMap { connection in
            OutboundGaps(connection, lives.life(of: connection), until: record.end)
        }
        let long = known.filter { $0.length > limit }
        let gaps = long.map(\.longest)
        let late = gaps.filter { $0.minimum > limit }
        if let worst = late.max(by: { $0.minimum < $1.minimum }) {
            var words = worst.words
            if late.count > 1 { words += ", and \(late.count - 1) more connections had one that is too long" }
            guard !traffic.link.unplaced.outbound.contains(where: { $0 > worst.begin && $0 < worst.end }) else {
                return ClientFinding(
                    .inconclusive,
                    "\(words); but the link damaged packets that may be of it",
                    worst.packets
                )
            }
            return .late(words, from: worst.begin, to: worst.end, limit: limit, worst.packets)
        }
        if let unclear = long.lazy.map(\.longestPossible).first(where: { $0.maximum > limit }) {
            let lengths = "between \(max(unclear.minimum, .zero).words) and \(unclear.maximum.words)"
            return ClientFinding(.inconclusive, "a gap is \(lengths) long, \(unclear.place)", unclear.packets)
        }
        // A QUIC connection is meant to last; most other UDP flows are only a datagram and its answer.
        if let silent = known.first(where: {
            $0.unknown > limit && ($0.length > limit || $0.longest.connection.carrier == .quic)
        }) {
            let connection = silent.longest.connection
            let words =
                "no packet tells whether \(connection.title) was still open in the \(silent.unknown.words) after its last"
            return ClientFinding(.inconclusive, words, [connection.firstPacket].compactMap { $0 })
        }
        guard let worst = gaps.max(by: { $0.end - $0.begin < $1.end - $1.begin }) else {
            return ClientFinding(.inconclusive, "no connection was open for longer than \(limit.words)")
        }
        return ClientFinding(.pass, worst.words, worst.packets)
    }
}

extension OutboundGaps.Gap {
    /// "the longest gap is 25 s, from 31 s after the start of the connection to 192.0.2.1:80 of packet 5"
    fileprivate var words: String { "the longest gap is \((end - begin).words), \(place)" }

    fileprivate var place: String {
        let start = max(begin - (connection.firstPacket?.sent ?? begin), .zero)
        return "from \(start.words) after the start of \(connection.title)"
    }

    /// The connection's first packet, and the kept packets before and after the gap.
    fileprivate var packets: [ObservedPacket] {
        let before = connection.clientPackets.last { $0.sent <= begin + .nanoseconds(Volume.length) }
        let next = connection.clientPackets.first { $0.sent >= end }
        return [connection.firstPacket, before, next].compactMap { $0 }
    }
}

extension Connection {
    /// Whether both sides have sent packets, or the connection is older than the capture.
    fileprivate var isEstablished: Bool { accepted != nil || carrier == .tcp && attempts.isEmpty }
}
