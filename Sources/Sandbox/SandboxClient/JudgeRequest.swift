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
    /// Where a part begins.
    package enum Begin: Hashable, Sendable {
        /// With the command.
        case run
        case time(Instant)
        /// When the mark or the step of this name began; the last of them if there were several.
        case label(String)
    }

    /// No request may have more expectations.
    package static let mostExpectations = 100

    /// What is expected, as text.
    package var expectations: [String]
    package var begin = Begin.run
    /// The last moment of the part; nil for that of the request.
    package var end: Instant?
    /// Whether only what nothing later can change is a failure, and the link's delays are not waited for.
    package var isLive = false
    /// Which connections it is about.
    package var scope = PartScope()
    /// What the test is called that asks; nil if it does not say so.
    package var test: String?

    package init(_ expectations: [String]) { self.expectations = expectations }
}

extension JudgeRequest: JSONConvertible {
    package var json: JSON {
        let since: JSON? =
            switch begin {
            case .run: nil
            case .time(let time): .number(time.nanoseconds)
            case .label(let name): .text(name)
            }
        return JSON(
            ("expectations", .list(expectations.map { JSON(.string($0)) })),
            ("since", since),
            ("end", .number(end?.nanoseconds)),
            ("live", isLive ? true : nil),
            ("scope", scope == PartScope() ? nil : scope.json),
            ("test", .text(test))
        )
    }

    /// Reads a request; nil for anything else, and for more than ``mostExpectations``.
    package init?(json: JSON) {
        guard let expectations: [String] = json.required("expectations"),
            1...Self.mostExpectations ~= expectations.count,
            let end: Int64? = json.optional("end"),
            let isLive: Bool? = json.optional("live"),
            let scope: PartScope? = json.optional("scope"),
            let test: String? = json.optional("test"),
            json.members.allSatisfy({ ["expectations", "since", "end", "live", "scope", "test"].contains($0.name) })
        else { return nil }
        self.init(expectations)
        self.end = end.map { Instant(nanoseconds: $0) }
        self.isLive = isLive ?? false
        self.scope = scope ?? PartScope()
        self.test = test
        if let since = json["since"] {
            if let time = Int64(json: since) {
                begin = .time(Instant(nanoseconds: time))
            } else if let name = String(json: since) {
                begin = .label(name)
            } else {
                return nil
            }
        }
    }
}
