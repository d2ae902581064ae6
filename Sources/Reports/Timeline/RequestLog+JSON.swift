// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension RequestLog {
    /// The log as members of the timeline of report.json.
    var members: [(String, JSON?)] {
        [
            ("requestCount", .number(requestCount)),
            ("unansweredRequestCount", .number(unansweredCount)),
            ("repeatedRequestCount", .number(repeatedCount)),
            ("requests", .list(requests.map(\.json))),
            ("nameQueryCount", .number(queryCount)),
            ("nameQueries", .list(queries.map(\.json))),
            ("encryptedConnectionCount", .number(encryptedCount)),
        ]
    }
}

extension RequestLog.Request {
    fileprivate var json: JSON {
        JSON(
            ("method", .text(method)),
            ("target", .text(target)),
            ("host", .text(host)),
            ("packet", .number(packet)),
            ("connection", .number(connection)),
            ("begin", .seconds(begin)),
            ("status", .number(status)),
            ("firstByte", firstByte.map(JSON.seconds)),
            ("end", end.map(JSON.seconds)),
            ("repeats", .number(repeats))
        )
    }
}

extension RequestLog.Query {
    fileprivate var json: JSON {
        JSON(
            ("name", .text(name)),
            ("type", .text(type)),
            ("packet", .number(packet)),
            ("begin", .seconds(begin)),
            ("answer", answer.map(JSON.seconds)),
            ("code", .number(code))
        )
    }
}
