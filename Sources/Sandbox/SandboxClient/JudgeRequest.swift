// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
package import LinkProfiles

/// A request for verdicts on a part of the run: the body of `POST /v1/judge`.
///
/// ```json
/// { "expectations": ["at most 1 connection"], "since": "first search" }
/// ```
package struct JudgeRequest {
    /// The start of a part.
    package enum Begin: Hashable, Sendable {
        /// The start of the command.
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
    /// The end of the part; nil for the time of the request.
    package var end: Instant?
    /// Whether to judge at once, without waiting for the link: a failure is then only what no later packet can change.
    package var isLive = false
    /// The connections to judge.
    package var scope = PartScope()
    /// The name of the test that sends the request; nil if it gives none.
    package var test: String?

    package init(_ expectations: [String]) { self.expectations = expectations }
}

extension JudgeRequest: JSONObject {
    package static let blank = JudgeRequest([])

    /// Reading refuses unknown members, and more than ``maximumExpectations`` expectations.
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
    /// Null for the start of the command, which requests leave out.
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
