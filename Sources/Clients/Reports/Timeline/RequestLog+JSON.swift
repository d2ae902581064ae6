// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

extension RequestLog {
    /// The maximum length of a target, host or name; longer ones are cut in the middle.
    fileprivate static let longestText = 1000

    /// The log as members of the timeline of report.json.
    var members: [(String, JSON?)] {
        [
            ("requestCount", .number(requests.count)),
            ("unansweredRequestCount", .number(unansweredCount)),
            ("repeatedRequestCount", .number(repeatedCount)),
            ("requests", .list(listedRequests.map(\.json))),
            ("nameQueryCount", .number(queries.count)),
            ("nameQueries", .list(listedQueries.map(\.json))),
            ("encryptedConnectionCount", .number(encryptedCount)),
        ]
    }
}

extension RequestLog.Request {
    fileprivate var json: JSON {
        JSON(
            ("method", .text(request.method)),
            ("target", .text(request.target.shortened(to: RequestLog.longestText))),
            ("host", .text(request.host?.shortened(to: RequestLog.longestText))),
            ("packet", .number(packet)),
            ("connection", .number(connection)),
            ("begin", .seconds(begin)),
            ("status", .number(status)),
            ("firstByte", .seconds(firstByte)),
            ("end", .seconds(end)),
            ("repeats", .number(repeats))
        )
    }
}

extension RequestLog.Query {
    fileprivate var json: JSON {
        JSON(
            ("name", .text(query.name.shortened(to: RequestLog.longestText))),
            ("type", .text(type)),
            ("packet", .number(query.packet.number)),
            ("begin", .seconds(begin)),
            ("answer", .seconds(answer)),
            ("code", .number(query.code))
        )
    }
}
