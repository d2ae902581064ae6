// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// `migrates within 2 s of 'label'`
extension ClientJudge {
    func migration(within limit: Duration, _ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let connections = connections(to: peer)
        let label = "'\(span.label ?? "")'"
        let before = connections.filter { $0.isEstablishedQUIC(before: span.start) }
        guard !before.isEmpty else {
            let tcp = connections.filter { $0.carrier == .tcp && $0.firstPacket != nil }
            guard !tcp.isEmpty else {
                return ClientFinding(.inconclusive, "no QUIC connection was open before \(label)")
            }
            let words = "no QUIC connection went on after \(label): the client used TCP"
            return ClientFinding(.fail, words, tcp.compactMap(\.firstPacket))
        }
        let servers = Dictionary(grouping: before, by: \.server)
        let findings = servers.map { server, old in
            let flows = connections.filter { $0.server == server && $0.carrier != .tcp }
            return verdict(on: old, flows, traffic.connections, within: limit, span.start, label)
        }
        // Servers with which the client had finished do not count, if another one passes.
        let worst = ClientFinding.worst(of: findings.sorted { $0.words < $1.words })
        return worst.verdict == .inconclusive ? findings.first { $0.verdict == .pass } ?? worst : worst
    }

    private func verdict(
        on old: [Connection],
        _ flows: [Connection],
        _ all: [Connection],
        within limit: Duration,
        _ start: Instant,
        _ label: String
    ) -> ClientFinding {
        let name = old[0].peerName
        let tries = flows.flatMap { flow in flow.quic.shorts.filter { $0.sent >= start && flow.goesOn(old, at: $0) } }
        let goings = flows.compactMap { $0.going(of: old, after: start) }.sorted { $0.delivered < $1.delivered }
        let opened = flows.flatMap(\.quic.initials).filter { $0.sent >= start }.min { $0.sent < $1.sent }
        let tcp = all.filter { $0.carrier == .tcp && ($0.server == old[0].server || $0.isNamed(as: old[0])) }
            .compactMap(\.attempts.first).filter { $0.sent >= start }.min { $0.sent < $1.sent }
        if let going = goings.first, opened.map({ $0.sent > going.request.sent }) ?? true {
            let time = going.delivered - start
            let path = going.isNewPath ? "from \(going.client)" : "by the same path"
            let words = "the QUIC connection to \(name) went on \(path), with an answer \(time.words) after \(label)"
            let packets = [going.request, going.answer]
            guard going.isCertain else {
                return ClientFinding(
                    .inconclusive,
                    "\(words); but all answers are so short that they may refuse it",
                    packets
                )
            }
            return time <= limit
                ? ClientFinding(.pass, words, packets)
                : .late(words, from: start, to: going.delivered, limit: limit, packets)
        }
        if let opened {
            let words =
                "the client opened a new QUIC connection to \(name) \((opened.sent - start).words) after \(label)"
            return ClientFinding(.fail, words, [opened])
        }
        if let tcp {
            let words =
                "no QUIC connection went on: the client opened one of TCP to \(name) \((tcp.sent - start).words) after \(label)"
            return ClientFinding(.fail, words, [tcp])
        }
        let rest = max(record.end - start, .zero)
        guard let first = tries.min(by: { $0.sent < $1.sent }) else {
            let words =
                "nothing was sent on the QUIC connection to \(name) in the \(rest.words) after \(label); it may have ended"
            return ClientFinding(.inconclusive, words, old.compactMap(\.firstPacket))
        }
        let words = "the QUIC connection to \(name) got no answer in the \(rest.words) after \(label)"
        guard rest > limit else { return ClientFinding(.inconclusive, words, [first]) }
        return .late(words, from: start, to: record.end, limit: limit, [first])
    }
}

/// The continuation of a QUIC connection: the client's first packet after a label that reached the server, and the
/// answer to it.
private struct Going {
    let client: Endpoint
    let isNewPath: Bool
    let request: ObservedPacket
    let answer: ObservedPacket
    let delivered: Instant
    /// Whether the answer cannot be a stateless reset.
    let isCertain: Bool
}

extension Connection {
    /// Whether the flow is a QUIC connection that was established and answered before `moment`.
    fileprivate func isEstablishedQUIC(before moment: Instant) -> Bool {
        carrier == .quic && quic.shorts.contains { $0.sent < moment }
            && answers.contains { $0.delivered ?? .distantFuture < moment }
    }

    /// Whether a short-header packet of this flow belongs to a connection in `old`: the flow is one of them, or has
    /// started without a handshake.
    fileprivate func goesOn(_ old: [Connection], at packet: ObservedPacket) -> Bool {
        let isOld = old.contains { $0.client == client && $0.firstPacket == firstPacket }
        return isOld || !quic.initials.contains { $0.sent <= packet.sent }
    }

    fileprivate func going(of old: [Connection], after start: Instant) -> Going? {
        let requests = quic.shorts.filter { $0.sent >= start && goesOn(old, at: $0) }
        let isOld = old.contains { $0.client == client && $0.firstPacket == firstPacket }
        // A flow from before the label without a handshake is another protocol's, or older than the capture.
        guard isOld || firstPacket.map({ $0.sent >= start }) ?? false else { return nil }
        guard let request = requests.first(where: { $0.delivered != nil }), let arrived = request.delivered,
            let answer = answers.first(where: { $0.sent >= arrived }), let delivered = answer.delivered
        else { return nil }
        return Going(
            client: client,
            isNewPath: !isOld,
            request: request,
            answer: answer,
            delivered: delivered,
            isCertain: isOld || quic.longAnswer != nil
        )
    }

    /// Whether both connections' servers have the same port and a name in common.
    fileprivate func isNamed(as other: Connection) -> Bool {
        server.port == other.server.port && !names.isDisjoint(with: other.names)
    }
}
