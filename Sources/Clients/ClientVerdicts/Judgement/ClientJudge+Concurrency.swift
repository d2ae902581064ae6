// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// `at most 2 connections at a time`
extension ClientJudge {
    /// Judges by the maximum number of connections that the client had at one moment. A TCP connection lasts from its
    /// first packet until the client closes it; of a QUIC connection, no packet shows how long it lasted after the last
    /// one.
    func connectionsAtATime(atMost limit: Int, _ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let held = connections(to: peer).filter { $0.carrier != .udp && isOwn($0) }.compactMap {
            Held($0, lives.life(of: $0))
        }
        let certain = maximum(held.map { ($0.begin, $0.last) }, in: span)
        let possible = maximum(held.map { ($0.earliest, $0.end) }, in: span)
        let scope = (peer.map { " to \($0)" } ?? "") + span.phrase("during")
        let words = "\(counted(certain.count, "connection")) at a time\(scope)"
        let packets = held.filter { $0.begin <= certain.moment && $0.last >= certain.moment }.map(\.packet)
        if certain.count > limit {
            let refusals = Refusals(self, of: packets)
            let details = itemWords(packets, of: .connectionsAtATime, peer) + (refusals?.words ?? "")
            var finding = ClientFinding.certain(words + details, packets, since: certain.moment)
            if let refusals, certain.count - refusals.count <= limit { finding.remedy = refusals.remedy }
            return finding
        }
        let maximum = possible.count + traffic.link.unplaced.maximum(.connectionsAtATime, in: span)
        guard maximum > limit else { return ClientFinding(.pass, words) }
        return ClientFinding(.inconclusive, "between \(certain.count) and \(maximum) connections at a time\(scope)")
    }

    /// The maximum number of `times` that overlap at one moment of the span, and the first such moment.
    private func maximum(_ times: [(begin: Instant, end: Instant)], in span: JudgedPeriod) -> (
        count: Int, moment: Instant
    ) {
        let inside = times.filter { $0.begin < span.end && ($0.end > span.start || $0.begin >= span.start) }
        let begins = inside.map { max($0.begin, span.start) }.sorted()
        let ends = inside.map(\.end).sorted()
        var (ended, maximum) = (0, (count: 0, moment: span.start))
        for (index, begin) in begins.enumerated() {
            // A connection that ends when another starts does not overlap with it.
            while ended < ends.count, ends[ended] <= begin, ended < index { ended += 1 }
            if index + 1 - ended > maximum.count { maximum = (index + 1 - ended, begin) }
        }
        return maximum
    }
}

/// The periods for which the client certainly, and possibly, had a connection.
private struct Held {
    /// The connection's first packet.
    let packet: ObservedPacket
    /// The period in which the client certainly had the connection.
    let begin: Instant, last: Instant
    /// The period in which the client may have had the connection.
    let earliest: Instant, end: Instant

    init?(_ connection: Connection, _ life: ConnectionLife?) {
        guard let first = connection.firstPacket else { return nil }
        (packet, begin) = (first, first.sent)
        earliest = connection.mayHaveBegun ?? begin
        end = life?.end ?? .distantFuture
        last = max(life?.surelyHeld ?? connection.clientPackets.last?.sent ?? first.sent, first.sent)
    }
}
