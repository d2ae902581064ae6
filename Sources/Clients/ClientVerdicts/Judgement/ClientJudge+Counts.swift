// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// Counts on the wire.
extension ClientJudge {
    func count(of what: ClientExpectation.Countable, atMost limit: Int, _ peer: Peer?, in span: JudgedPeriod)
        -> ClientFinding
    {
        var span = span
        if let until = record.scope.until { span.end = max(span.start, min(span.end, until)) }
        if what == .connectionsAtATime { return connectionsAtATime(atMost: limit, peer, in: span) }
        var finding = number(of: what, atMost: limit, peer, in: span)
        finding.isCount = true
        return finding
    }

    private func number(
        of what: ClientExpectation.Countable,
        atMost limit: Int,
        _ peer: Peer?,
        in span: JudgedPeriod
    ) -> ClientFinding {
        let (kept, packets) = occurrences(of: what, peer, in: span)
        // The peer and the time of traffic that was not kept are unknown.
        let unkept = traffic.unkept.count(of: what)
        let isAll = peer == nil && span.label == nil && !record.isPart
        let number = kept + (isAll ? unkept.lowerBound : 0)
        let scope = (peer.map { " to \($0)" } ?? "") + span.phrase("during")
        let refusals = what == .connections ? Refusals(self, of: packets) : nil
        // Refusals name the addresses themselves.
        let others = number > limit ? itemWords(packets, of: what, peer) : ""
        let details = refusals?.words ?? others
        let words = "\(number) \(what.noun(for: number))\(scope)\(holders(of: packets, what))\(details)"
        let border = border(of: what, peer, in: span)
        guard number <= limit || number - border.inside > limit else {
            return ClientFinding(.inconclusive, "\(words); up to \(border.inside) of them may be of the time beside it")
        }
        guard number <= limit else {
            // A late answer is retransmitted, and so is its request: a busy machine may raise these counts.
            let mayBeDelayed = what == .retransmissions || what == .bytes
            if mayBeDelayed { return ClientFinding(.fail, words, packets) }
            let times = packets.map(\.sent).sorted()
            let since = times.indices.contains(limit) ? times[limit] : record.end
            var finding = ClientFinding.certain(words, packets, since: since)
            if let refusals, number - refusals.count <= limit { finding.remedy = refusals.remedy }
            return finding
        }
        if let reason = hidden(what, to: peer, in: span) {
            return ClientFinding(.inconclusive, "\(words) seen; \(reason)")
        }
        guard unkept.upperBound <= limit - kept else {
            return ClientFinding(.inconclusive, "\(words) seen; \(traffic.unkept.words ?? "")", packets)
        }
        guard number + border.outside <= limit else {
            return ClientFinding(.inconclusive, "\(words); up to \(border.outside) more may be of its time")
        }
        let unplaced = traffic.link.unplaced.maximum(what, in: span) + border.outside
        guard number + unplaced <= limit else {
            return ClientFinding(
                .inconclusive,
                "\(words) seen; the link damaged packets that may have been \(unplaced) more"
            )
        }
        return ClientFinding(.pass, words, packets)
    }

    private func occurrences(
        of what: ClientExpectation.Countable,
        _ peer: Peer?,
        in span: JudgedPeriod
    ) -> (number: Int, packets: [ObservedPacket]) {
        let connections = connections(to: peer)
        let packets: [ObservedPacket]
        switch what {
        case .connections:
            packets = connections.filter { connection in
                guard connection.carrier != .udp, isOwn(connection) else { return false }
                guard let start = connection.attempts.first?.sent, start < span.end else { return false }
                guard start < span.start else { return true }
                // No packet shows the end of a QUIC connection: it is open at least while the client sends.
                let isSending =
                    connection.carrier == .quic && connection.clientPackets.last?.sent ?? start >= span.start
                return lives.life(of: connection)?.isOpen(at: span.start) ?? isSending
            }.compactMap(\.attempts.first)
        case .connectionAttempts:
            packets = connections.filter { $0.carrier != .udp }.compactMap(\.attempts.first)
                .filter { span.contains($0.sent) }
        case .requests: packets = connections.flatMap(\.requests).map(\.packet).filter { span.contains($0.sent) }
        case .dnsQueries:
            packets = traffic.nameQueries.filter { peer?.isAsked(by: $0) ?? true }.map(\.packet)
                .filter { span.contains($0.sent) }
        case .retransmissions:
            packets = connections.flatMap(\.retransmissions).filter {
                $0.side == .client && span.contains($0.packet.sent)
            }
            .map(\.packet)
        case .connectionsAtATime: packets = []
        case .bytes:
            let isWhole = span.label == nil && !record.beginsLater
            let names = messages(with: peer).reduce(0) { isWhole || span.contains($1.sent) ? $0 + $1.bytes : $0 }
            guard !isWhole else {
                return (connections.reduce(names) { $0 + $1.bytes.client + $1.bytes.server }, [])
            }
            let volumes = connections.flatMap(\.volume).filter {
                span.contains($0.begin + .nanoseconds(Volume.length / 2))
            }
            return (volumes.reduce(names) { $0 + $1.bytes.client + $1.bytes.server }, [])
        }
        return (packets.count, packets)
    }

    /// Counts the items near the borders of a span: `inside`, which were counted but may lie outside it, and `outside`,
    /// which were not counted but may lie inside it.
    private func border(
        of what: ClientExpectation.Countable,
        _ peer: Peer?,
        in span: JudgedPeriod
    ) -> (inside: Int, outside: Int) {
        guard span.label != nil || record.beginsLater else { return (0, 0) }
        var border = (inside: 0, outside: 0)
        if what == .connections {
            // The connection was closed between two scans of the sockets, before the label or after it.
            border.inside = connections(to: peer).count { connection in
                guard connection.carrier == .tcp, isOwn(connection), let life = lives.life(of: connection) else {
                    return false
                }
                return life.begin < span.start && life.isOpen(at: span.start) && !life.isSurelyOpen(at: span.start)
            }
        }
        if what == .connectionAttempts {
            // The first packet may have been damaged, so that the first one that was read is a retransmission.
            border.inside = traffic.link.unplaced.openings.count { $0 < span.start }
            for connection in connections(to: peer) where connection.carrier != .udp {
                guard let begun = connection.mayHaveBegun, let seen = connection.attempts.first?.sent else { continue }
                if span.contains(seen) && !span.contains(begun) { border.inside += 1 }
                if span.contains(begun) && !span.contains(seen) { border.outside += 1 }
            }
        }
        if what == .requests {
            // Data that was damaged before the label may be retransmitted during it.
            border.inside = traffic.link.unplaced.data.count { $0 < span.start }
        }
        // Bytes are kept by periods of 10 ms, one of which may contain a border of the span.
        guard what == .bytes else { return border }
        for volume in connections(to: peer).lazy.flatMap(\.volume) {
            let end = volume.begin + .nanoseconds(Volume.length)
            guard [span.start, span.end].contains(where: { volume.begin < $0 && $0 < end }) else { continue }
            let bytes = volume.bytes.client + volume.bytes.server
            if span.contains(volume.begin + .nanoseconds(Volume.length / 2)) {
                border.inside += bytes
            } else {
                border.outside += bytes
            }
        }
        return border
    }

    /// The DNS packets from or to `peer`.
    func messages(with peer: Peer?) -> [NameMessage] {
        guard let peer else { return traffic.nameMessages }
        return traffic.nameMessages.filter {
            peer.matches(Connection(.udp, client: $0.client, server: $0.server), record.hosts)
        }
    }

    /// ", by curl (123) and 2 more", for counts of connections or attempts; empty if no owner is known.
    private func holders(of packets: [ObservedPacket], _ what: ClientExpectation.Countable) -> String {
        guard what == .connections || what == .connectionAttempts else { return "" }
        let numbers = Set(packets.map(\.number))
        let holders = traffic.connections.filter { connection in
            connection.attempts.first.map { numbers.contains($0.number) } == true
        }
        guard let (first, others) = holders.owners else { return "" }
        return ", by \(first)\(others > 0 ? " and \(others) more" : "")"
    }

    /// `leaves no connection open`
    func leftOpen() -> ClientFinding {
        guard !record.goesOn else { return ClientFinding(.inconclusive, "the command has not ended") }
        // For a part, only sockets that were opened in it count: a socket of an earlier test, or of a wider fixture, is
        // not this test's.
        let own = Dictionary(traffic.connections.filter(isOwn).map { (SocketEnds(of: $0), $0) }) { $1 }
        // `openAtEnd` also lists servers' sockets, which are in no connection of the client.
        let open = record.openAtEnd.filter { socket in
            own[socket.socket] != nil && !(socket.inode.map(record.scope.sharedSockets.contains) ?? false)
        }
        guard let first = open.first else {
            // An open socket may belong to a connection whose packets were not read.
            if traffic.link.missing > 0 || !traffic.link.unplaced.openings.isEmpty, let unseen = unseenSocket {
                let words = "\(unseen.client) to \(unseen.server) was open, and its packets were not seen"
                return ClientFinding(.inconclusive, words)
            }
            let end = record.isPart ? "at the end" : "when the command had ended"
            return ClientFinding(.pass, "no connection was open \(end)")
        }
        guard record.isPart else {
            let owner = first.owner.map { ", held by \($0)," } ?? ""
            let more = open.count > 1 ? ", and \(open.count - 1) more" : ""
            let words = "the connection to \(first.socket.server)\(owner) was open when the command had ended\(more)"
            return ClientFinding(.fail, words)
        }
        let shown = open.prefix(Self.maximumNamed).map { socket in
            "\(socket.socket.client) to \(socket.socket.server)" + (socket.owner.map { ", held by \($0)" } ?? "")
        }
        let more = open.count > shown.count ? ["and \(open.count - shown.count) more"] : []
        let words = "\(counted(open.count, "connection")) left open: \((shown + more).joined(separator: "; "))"
        var finding = ClientFinding(.fail, words, open.compactMap { own[$0.socket]?.firstPacket })
        // A test's process goes on after the test, and keeps what the test's client holds.
        if let process = record.scope.process, open.contains(where: { $0.holder?.process == process }) {
            finding.remedy =
                "closing the client in the test, or in the teardown of its fixture; a client of several tests belongs in "
                + "a fixture of the module or session"
        }
        return finding
    }

    /// A socket that was open at the end, and is neither the client's nor the server's in any captured connection.
    private var unseenSocket: SocketEnds? {
        let seen = Set(traffic.connections.map { SocketEnds(of: $0) })
        let own = record.openAtEnd.lazy.filter { !($0.inode.map(record.scope.sharedSockets.contains) ?? false) }
        return own.map(\.socket).first { socket in
            !seen.contains(socket) && !seen.contains(SocketEnds(socket.server, socket.client, isTCP: socket.isTCP))
        }
    }

    /// The maximum number of connections that a finding lists.
    private static let maximumNamed = 8
}
