// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
package import LinkProfiles

/// A question for verdicts on a part of the run: the body of `POST /v1/judge`.
///
/// ```json
/// { "expectations": ["at most 1 connections"], "since": "first search" }
/// ```
package struct JudgeRequest {
    /// The start of a part.
    package enum Begin: Hashable, Sendable {
        /// With the command.
        case run
        case time(Instant)
        /// The start of the mark or the step of this name; the last of them if there were several.
        case label(String)
    }

    /// The most expectations of a request.
    package static let maximumExpectations = 100

    /// The expectations, as text.
    package var expectations: [String]
    package var begin = Begin.run
    /// The last moment of the part; nil for that of the request.
    package var end: Instant?
    /// Whether only what nothing later can change is a failure, and the link's delays are not waited for.
    package var isLive = false
    /// The connections that it is about.
    package var scope = PartScope()
    /// The name of the asking test; nil if it gives none.
    package var test: String?

    package init(_ expectations: [String]) { self.expectations = expectations }
}

extension JudgeRequest: JSONObject {
    package static let blank = JudgeRequest([])

    /// Reading refuses unknown members, and more than ``mostExpectations``.
    package mutating func describe(_ members: inout JSONMembers) {
        members.required("expectations", &expectations)
        if !(1...Self.maximumExpectations ~= expectations.count) { members.refuse() }
        members.optional("since", &begin, default: .run)
        members.optional("end", &end)
        members.optional("live", &isLive, default: false)
        members.optional("scope", &scope, default: PartScope())
        members.optional("test", &test)
        members.refuseOthers()
    }
}

extension JudgeRequest.Begin: JSONConvertible {
    /// Null for the command's, which requests leave out.
    package var json: JSON {
        switch self {
        case .run: JSON(.null)
        case .time(let time): time.json
        case .label(let name): name.json
        }
    }

    package init?(json: JSON) {
        if let time = Instant(json: json) {
            self = .time(time)
        } else if let name = String(json: json) {
            self = .label(name)
        } else {
            return nil
        }
    }
}
