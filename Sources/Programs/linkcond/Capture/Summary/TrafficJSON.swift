// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import LinkProfiles

/// The summary of a capture as JSON: `capture -r FILE --summary --json`.
///
/// Packet numbers are those of Wireshark; times are nanoseconds since 1970.
struct TrafficJSON {
    let traffic: ObservedTraffic

    var json: JSON {
        JSON(
            ("connections", .list(traffic.connections.map(connection))),
            ("nameQueries", .list(traffic.nameQueries.map(query))),
            ("link", link),
            ("totals", totals)
        )
    }

    private func connection(_ connection: Connection) -> JSON {
        let again = connection.retransmissions
        return JSON(
            ("carrier", .text(connection.carrier.rawValue)),
            ("client", .text(connection.client)),
            ("server", .text(connection.server)),
            ("serverName", .text(connection.serverName)),
            ("attempts", .list(connection.attempts.map(packet))),
            ("accepted", connection.accepted.map(packet)),
            ("firstRequest", connection.firstRequest.map(packet)),
            ("firstAnswer", connection.answers.first.map(packet)),
            ("lastAnswer", connection.answers.last.map(packet)),
            ("lastClientPacket", connection.clientPackets.last.map(packet)),
            ("tlsVersion", .text(connection.tlsVersion)),
            ("secured", connection.secured.map(packet)),
            ("requests", .list(connection.requests.map(request))),
            ("retransmissions", sides(connection.retransmissionCounts)),
            ("retransmittedPackets", .list(again.map { JSON(integerLiteral: $0.packet.number) })),
            ("endings", .list(connection.endings.map(ending))),
            ("packets", sides(connection.packets)),
            ("bytes", sides(connection.bytes)),
            ("payloadBytes", sides(connection.payloadBytes))
        )
    }

    private func request(_ request: ObservedRequest) -> JSON {
        JSON(
            ("method", .text(request.method)),
            ("target", .text(request.target)),
            ("host", .text(request.host)),
            ("idempotencyKey", .text(request.idempotencyKey)),
            ("sent", packet(request.packet)),
            ("status", .number(request.status)),
            ("grpcStatus", .number(request.grpcStatus)),
            ("answer", request.answer.map(packet))
        )
    }

    private func query(_ query: NameQuery) -> JSON {
        JSON(
            ("name", .text(query.name)),
            ("type", .number(query.type)),
            ("sent", packet(query.packet)),
            ("code", .number(query.code)),
            ("answer", query.answer.map(packet))
        )
    }

    private func ending(_ ending: Connection.Ending) -> JSON {
        JSON(
            ("kind", .text(ending.kind.rawValue)),
            ("side", .text(ending.side.rawValue)),
            ("packet", packet(ending.packet))
        )
    }

    private var link: JSON {
        let link = traffic.link
        return JSON(
            ("packets", .number(link.packets)),
            ("bytes", .number(link.bytes)),
            (
                "dropped",
                JSON(
                    members: link.dropped.sorted { $0.key.name < $1.key.name }.map { ($0.key.name, .number($0.value)) }
                )
            ),
            ("missing", .number(link.missing)),
            ("worstLatenessMs", .number(link.worstLateness / .milliseconds(1)))
        )
    }

    private var totals: JSON {
        let totals = TrafficTotals(traffic)
        return JSON(
            ("connections", .number(totals.connections)),
            ("attempts", .number(totals.attempts)),
            ("nameQueries", .number(totals.queries)),
            ("answeredNameQueries", .number(totals.answeredQueries)),
            ("requests", .number(totals.requests)),
            ("resets", sides(totals.resets)),
            ("retransmissions", sides(totals.retransmissions)),
            ("packets", sides(totals.packets)),
            ("bytes", sides(totals.bytes))
        )
    }

    private func packet(_ packet: ObservedPacket) -> JSON {
        JSON(
            ("packet", .number(packet.number)),
            ("sent", .number(packet.sent.nanoseconds)),
            ("delivered", .number(packet.delivered?.nanoseconds))
        )
    }

    private func sides(_ counts: SideCounts) -> JSON {
        JSON(("client", .number(counts.client)), ("server", .number(counts.server)))
    }
}
