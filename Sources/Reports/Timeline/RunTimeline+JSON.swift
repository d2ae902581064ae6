// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
package import LinkProfiles

extension RunTimeline {
    /// The timeline as report.json holds it. Times are seconds since the command was started.
    package var json: JSON {
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
            ("openConnections", .list(openConnections.map { JSON(integerLiteral: $0) })),
            ("uplink", Self.columns(history.pieces.map(\.uplink))),
            ("downlink", Self.columns(history.pieces.map(\.downlink))),
            ("roundTrips", roundTrips.json),
            ("roundTripsByTime", Self.columns(history.pieces.map(\.roundTrips))),
            ("busyCount", .number(waits.count)),
            ("busy", .list(waits.prefix(Self.listLimit).map { .list([.seconds($0.begin), .seconds($0.end)]) })),
        ]
        return JSON(members: members + requests.members)
    }

    /// A list for each figure, with an element for each piece of time.
    private static func columns(_ pieces: [LinkHistory.Carried]) -> JSON {
        let reasons = Set(pieces.flatMap(\.dropped.keys)).sorted { $0.name < $1.name }
        let dropped = reasons.map { reason in
            (reason.name, JSON?.some(.list(pieces.map { JSON(integerLiteral: $0.dropped[reason] ?? 0) })))
        }
        return JSON(
            ("bytes", .list(pieces.map { JSON(integerLiteral: $0.bytes) })),
            ("packets", .list(pieces.map { JSON(integerLiteral: $0.packets) })),
            ("leastDelay", column(pieces.map(\.delays.least))),
            ("medianDelay", column(pieces.map(\.delays.median))),
            ("delay95", column(pieces.map { $0.delays.percentile(95) })),
            ("mostDelay", column(pieces.map(\.delays.most))),
            ("dropped", JSON(members: dropped))
        )
    }

    private static func columns(_ pieces: [DurationSummary]) -> JSON {
        JSON(
            ("count", .list(pieces.map { JSON(integerLiteral: $0.count) })),
            ("least", column(pieces.map(\.least))),
            ("median", column(pieces.map(\.median))),
            ("most", column(pieces.map(\.most)))
        )
    }

    private static func column(_ lengths: [Duration?]) -> JSON {
        .list(lengths.map { $0.map(JSON.seconds) ?? JSON(.null) })
    }
}

extension DurationSummary {
    /// Nil if there is none.
    fileprivate var json: JSON? {
        guard count > 0 else { return nil }
        return JSON(
            ("count", .number(count)),
            ("least", least.map(JSON.seconds)),
            ("median", median.map(JSON.seconds)),
            ("most", most.map(JSON.seconds))
        )
    }
}

extension [RunTimeline.Stall] {
    /// Those between which there is no time, as one: each is as long as a sample.
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
            ("target", .text(target)),
            ("status", .text(status)),
            ("reachable", .bool(isReachable)),
            ("reason", .text(reason)),
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
            ("begin", .seconds(begin)),
            ("end", .seconds(end)),
            ("uplinkRate", .text(asked.uplink.rate?.constant)),
            ("downlinkRate", .text(asked.downlink.rate?.constant))
        )
    }
}

extension ConnectionLine {
    fileprivate var json: JSON {
        let again = [
            ("client", JSON?.some(.list(clientRetransmissions.map(JSON.seconds)))),
            ("server", .list(serverRetransmissions.map(JSON.seconds))),
        ]
        return JSON(
            ("carrier", .text(carrier)),
            ("client", .text(client)),
            ("server", .text(server)),
            ("serverName", .text(serverName)),
            ("owner", .text(owner)),
            ("packet", .number(packet)),
            ("begin", .seconds(begin)),
            ("attempts", .list(attempts.map(JSON.seconds))),
            ("attemptCount", .number(attemptCount)),
            ("accepted", accepted.map(JSON.seconds)),
            ("secured", secured.map(JSON.seconds)),
            ("firstByte", firstByte.map(JSON.seconds)),
            ("lastByte", lastByte.map(JSON.seconds)),
            ("end", .seconds(end)),
            ("ending", .text(ending.rawValue)),
            ("endedBy", .text(endedBy?.rawValue)),
            ("sentAgain", JSON(members: again)),
            ("sentAgainCount", JSON(("client", .number(sentAgain.client)), ("server", .number(sentAgain.server)))),
            ("silences", .list(silences.map { .list([.seconds($0.begin), .seconds($0.end)]) })),
            ("roundTrips", roundTrips.json),
            ("requests", .number(requests)),
            ("bytes", JSON(("client", .number(bytes.client)), ("server", .number(bytes.server))))
        )
    }
}

extension JSON {
    /// A time in seconds, to the microsecond.
    static func seconds(_ duration: Duration) -> JSON {
        let microseconds = (duration / .microseconds(1)).rounded()
        return JSON(.number("\(microseconds / 1e6)"))
    }
}
