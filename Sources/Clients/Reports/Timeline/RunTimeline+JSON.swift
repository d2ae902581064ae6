// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

extension RunTimeline {
    /// The timeline in the format of report.json. Times are seconds since the command was started.
    var json: JSON {
        let waits = stalls.joined
        let members: [(String, JSON?)] = [
            ("conditionCount", .number(periods.count)),
            ("conditions", .list(periods.prefix(Self.listLimit).map(\.json))),
            ("markCount", .number(marks.count)),
            ("marks", .list(marks.prefix(Self.listLimit).map(\.json))),
            ("monitorCount", .number(bands.count)),
            ("monitor", .list(bands.prefix(Self.listLimit).map(\.json))),
            ("connectionCount", .number(connectionCount)),
            ("connections", .list(connections.map(\.json))),
            ("begin", .seconds(historyBegin)),
            ("step", .seconds(step)),
            ("openConnections", .list(openConnections)),
            ("uplink", Self.columns(history.pieces.map(\.uplink))),
            ("downlink", Self.columns(history.pieces.map(\.downlink))),
            ("roundTrips", history.sum.roundTrips.json),
            ("roundTripsByTime", Self.columns(history.pieces.map(\.roundTrips))),
            ("busyCount", .number(waits.count)),
            ("busy", .list(waits.prefix(Self.listLimit).map { .span($0.begin, $0.end) })),
        ]
        return JSON(members: members + requests.members)
    }

    /// A list for each figure, with an element for each piece of the history.
    private static func columns(_ pieces: [LinkHistory.Carried]) -> JSON {
        let reasons = Set(pieces.flatMap(\.dropped.keys)).sorted { $0.name < $1.name }
        let dropped = reasons.map { reason in
            (reason.name, JSON?.some(.list(pieces.map { $0.dropped[reason] ?? 0 })))
        }
        return JSON(
            ("bytes", .list(pieces.map(\.bytes))),
            ("packets", .list(pieces.map(\.packets))),
            ("leastDelay", column(pieces.map(\.delays.minimum))),
            ("medianDelay", column(pieces.map(\.delays.median))),
            ("delay95", column(pieces.map { $0.delays.percentile(95) })),
            ("mostDelay", column(pieces.map(\.delays.maximum))),
            ("dropped", JSON(members: dropped))
        )
    }

    private static func columns(_ pieces: [DurationSummary]) -> JSON {
        JSON(
            ("count", .list(pieces.map(\.count))),
            ("least", column(pieces.map(\.minimum))),
            ("median", column(pieces.map(\.median))),
            ("most", column(pieces.map(\.maximum)))
        )
    }

    private static func column(_ lengths: [Duration?]) -> JSON {
        .list(lengths.map { JSON.seconds($0) ?? JSON(.null) })
    }
}

extension DurationSummary {
    /// The summary as JSON; nil if there are no durations.
    fileprivate var json: JSON? {
        guard count > 0 else { return nil }
        return JSON(
            ("count", .number(count)),
            ("least", .seconds(minimum)),
            ("median", .seconds(median)),
            ("most", .seconds(maximum))
        )
    }
}

extension [RunTimeline.Stall] {
    /// The stalls; adjacent ones are joined, since each is only as long as a sample.
    fileprivate var joined: [RunTimeline.Stall] {
        reduce(into: []) { joined, stall in
            guard let last = joined.last, stall.begin <= last.end else { return joined.append(stall) }
            joined[joined.count - 1].end = Swift.max(last.end, stall.end)
            joined[joined.count - 1].waited += stall.waited
        }
    }
}

extension RunTimeline.Mark {
    fileprivate var json: JSON { JSON(("name", .text(name)), ("time", .seconds(time))) }
}

extension RunTimeline.Band {
    fileprivate var json: JSON {
        JSON(
            ("target", .text(verdict.target)),
            ("status", .text(verdict.status)),
            ("reachable", .bool(verdict.isReachable)),
            ("reason", .text(verdict.reason)),
            ("begin", .seconds(begin)),
            ("end", .seconds(end))
        )
    }
}

extension RunTimeline.Period {
    fileprivate var json: JSON {
        JSON(
            ("label", .text(label)),
            ("profile", .text(profile)),
            ("changes", changes.isEmpty ? nil : .list(changes.map { JSON(.string($0)) })),
            ("begin", .seconds(begin)),
            ("end", .seconds(end)),
            ("figures", .text(asked.words)),
            ("uplinkRate", .text(asked.uplink.rate?.constant)),
            ("downlinkRate", .text(asked.downlink.rate?.constant))
        )
    }
}

extension ConnectionLine {
    fileprivate var json: JSON {
        JSON(
            ("carrier", .text(connection.carrier.rawValue)),
            ("client", .text(connection.client)),
            ("server", .text(connection.server)),
            ("serverName", .text(connection.serverName)),
            ("owner", .text(owner)),
            ("packet", .number(packet)),
            ("begin", .seconds(begin)),
            ("attempts", .times(attempts)),
            ("attemptCount", .number(connection.attempts.count)),
            ("accepted", .seconds(accepted)),
            ("secured", .seconds(secured)),
            ("firstByte", .seconds(firstByte)),
            ("lastByte", .seconds(lastByte)),
            ("end", .seconds(end)),
            ("ending", .text(ending.kind.rawValue)),
            ("endedBy", .text(ending.ender)),
            ("sentAgain", JSON(members: Connection.Side.both.map { ($0.rawValue, .times(retransmissions(of: $0))) })),
            ("sentAgainCount", connection.retransmissionCounts.json),
            ("silences", .list(silences.map { .span($0.begin, $0.end) })),
            ("roundTrips", connection.roundTrips.json),
            ("requests", .number(connection.requests.count)),
            ("bytes", connection.bytes.json)
        )
    }
}

extension SideCounts {
    fileprivate var json: JSON { JSON(("client", .number(client)), ("server", .number(server))) }
}

extension JSON {
    fileprivate static func times(_ times: [Duration]) -> JSON { .list(times.map(seconds)) }

    fileprivate static func span(_ begin: Duration, _ end: Duration) -> JSON { times([begin, end]) }
}
