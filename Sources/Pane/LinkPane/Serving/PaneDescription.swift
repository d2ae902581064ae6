// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import SandboxClient

/// What `GET /v1/pane` says: which pane this is, and what its user may do.
package struct PaneDescription: Sendable {
    package enum Place: String, Sendable { case host, sandbox, report }

    package struct Restriction: Sendable {
        package var reason: String
        /// The line to type instead; nil if none would help.
        package var line: String?

        package init(reason: String, line: String?) { (self.reason, self.line) = (reason, line) }
    }

    package var version: String
    package var place: Place
    package var user: String
    /// The reason why the user may change nothing; nil if it may.
    package var restriction: Restriction?
    /// The directory of the user's own profiles; nil if there is none.
    package var profiles: String?

    package init(
        version: String,
        place: Place,
        user: String,
        restriction: Restriction? = nil,
        profiles: String? = nil
    ) {
        (self.version, self.place, self.user, self.restriction) = (version, place, user, restriction)
        self.profiles = profiles
    }

    package var json: JSON {
        JSON(
            ("version", .text(version)),
            ("place", .text(place.rawValue)),
            ("user", .text(user)),
            ("canChange", .bool(restriction == nil)),
            ("reason", .text(restriction?.reason)),
            ("try", .text(restriction?.line)),
            ("profileDirectory", .text(profiles))
        )
    }
}

/// Answers `GET /v1/pane`.
package final class DescriptionResource: PaneResource {
    private let description: PaneDescription

    package init(_ description: PaneDescription) { self.description = description }

    package func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
        guard request.path == "/v1/pane" else { return nil }
        guard request.method == "GET" else { return ControlAPI.refuse(allowing: "GET") }
        return ControlAPI.Answer(body: description.json)
    }
}
