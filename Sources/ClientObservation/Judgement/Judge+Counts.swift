// SPDX-License-Identifier: Apache-2.0

/// What is counted on the wire.
extension Judge {
    func count(of what: ClientExpectation.Countable, atMost limit: Int, _ peer: Peer?, in span: Span) -> Finding {
        let (number, packets) = occurrences(of: what, peer, in: span)
        let noun = what != .bytes && number == 1 ? what.singular : what.rawValue
        let scope = (peer.map { " to \($0)" } ?? "") + span.phrase("during")
        let words = "\(number) \(noun)\(scope)\(holders(of: packets, what))"
        return Finding(number <= limit ? .pass : .fail, words, packets)
    }

    private func occurrences(
        of what: ClientExpectation.Countable,
        _ peer: Peer?,
        in span: Span
    ) -> (number: Int, packets: [ObservedPacket]) {
        let connections = connections(to: peer)
        let packets: [ObservedPacket]
        switch what {
        case .connections:
            packets = connections.filter { connection in
                guard connection.carrier != .udp else { return false }
                guard let start = connection.attempts.first?.sent, start < span.end else { return false }
                return start >= span.start || lives.life(of: connection)?.isOpen(at: span.start) == true
            }.compactMap(\.attempts.first)
        case .connectionAttempts:
            packets = connections.filter { $0.carrier != .udp }.compactMap(\.attempts.first)
                .filter { span.contains($0.sent) }
        case .requests: packets = connections.flatMap(\.requests).map(\.packet).filter { span.contains($0.sent) }
        case .dnsQueries:
            packets = traffic.nameQueries.filter { peer == nil || $0.name.lowercased() == peer?.host }.map(\.packet)
                .filter { span.contains($0.sent) }
        case .retransmissions:
            packets = connections.flatMap(\.retransmissions).filter {
                $0.side == .client && span.contains($0.packet.sent)
            }
            .map(\.packet)
        case .bytes:
            guard span.label != nil || record.beginsLater else {
                return (connections.reduce(0) { $0 + $1.bytes.client + $1.bytes.server }, [])
            }
            let volumes = connections.flatMap(\.volume).filter {
                span.contains($0.begin + .nanoseconds(Volume.length / 2))
            }
            return (volumes.reduce(0) { $0 + $1.bytes.client + $1.bytes.server }, [])
        }
        return (packets.count, packets)
    }

    /// ", by curl (123) and 2 more", for what begins connections; nothing if that is not known.
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
    func leftOpen() -> Finding {
        // A server's side of a connection is listed, too.
        let connections = Set(traffic.connections.map { SocketEnds(of: $0) })
        let open = record.openAtEnd.filter { connections.contains($0.socket) }
        guard let first = open.first else {
            return Finding(.pass, "no connection was open when the command had ended")
        }
        let owner = first.owner.map { ", held by \($0)," } ?? ""
        let more = open.count > 1 ? ", and \(open.count - 1) more" : ""
        let words = "the connection to \(first.socket.server)\(owner) was open when the command had ended\(more)"
        return Finding(.fail, words)
    }

    /// `sends no request twice`
    func repeatedRequests(_ peer: Peer?) -> Finding {
        let all = connections(to: peer).sentRequests(since: record.beginsLater ? record.begin : nil)
        guard !all.isEmpty else {
            return Finding(.inconclusive, "no HTTP/1 request in the clear was seen")
        }
        for sent in all where !sent.request.isSafeToRepeat {
            guard let first = sent.repeated, !first.isSafeToRepeat else { continue }
            let words = "\(sent.request.method) \(sent.request.target) was sent again after its connection had failed"
            return Finding(.fail, words, [first.packet, sent.request.packet])
        }
        return Finding(.pass, "\(counted(all.count, "request")), none sent again after a failure")
    }
}

extension ClientExpectation.Countable {
    /// The noun for one.
    fileprivate var singular: String { self == .dnsQueries ? "DNS query" : String(rawValue.dropLast()) }
}
