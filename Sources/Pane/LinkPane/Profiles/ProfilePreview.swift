// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import ProfileCatalog
internal import SandboxClient

/// Previews a profile with other figures, as `apply` would load it. For use by one thread.
final class ProfilePreview {
    private let catalog: Catalog
    private var drawings = DrawingCache()

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// The lanes whose figures a request may give, in the order in which the command line overrides them.
    static let lanes = ["downlink", "uplink", "dns"]

    /// Answers `GET /v1/preview`.
    func answer(_ query: [String: String]) -> ControlAPI.Answer {
        do throws(ControlAPI.Answer) {
            let base = try base(query["profile"])
            let profile = try Self.overridden(base.profile, query)
            let (recordings, problem) = base.readableRecordings
            let drawing = drawings.drawing(profile, recordings)
            return ControlAPI.Answer(
                body: JSON(
                    ("name", base.profile.name.json),
                    ("problem", .text(problem)),
                    ("figures", profile.fields),
                    ("columns", profile.columns),
                    ("feels", .list(profile.feels(recordings).map(\.json))),
                    ("harshness", .number(profile.harshness(recordings))),
                    ("drawing", drawing),
                    ("changed", (profile != base.profile).json)
                )
            )
        } catch {
            return error
        }
    }

    private func base(_ name: String?) throws(ControlAPI.Answer) -> LoadedProfile {
        guard let name, !name.isEmpty else {
            // Figures alone make a profile, as they do on the command line.
            return LoadedProfile(profile: Profile(name: "figures"), origin: .commandLine)
        }
        guard !Catalog.isPath(name) else { throw .isPath(field: "profile") }
        do {
            return try catalog.profile(name)
        } catch {
            if case .unknownName = error { throw .refuse(.unknownProfile, "\(error)", field: "profile") }
            throw .refuse(.badProfile, "\(error)", field: "profile")
        }
    }

    private static func overridden(
        _ profile: Profile,
        _ query: [String: String]
    ) throws(ControlAPI.Answer) -> Profile {
        var profile = profile
        // One lane after the other, so that a mistake names its field even if it is no figure.
        for lane in lanes {
            guard let figures = query[lane], !figures.isEmpty else { continue }
            do throws(InvalidProfile) {
                profile = try profile.overriding([(lane, figures)])
            } catch {
                throw .refuse(error, lane: lane)
            }
        }
        return profile
    }
}

extension ControlAPI.Answer {
    /// A refusal whose message is about a field of the page.
    static func refuse(_ refusal: ControlAPI.Refusal, _ message: String, field: String) -> ControlAPI.Answer {
        var answer = ControlAPI.refuse(refusal, message)
        answer.body = answer.body?.replacing("field", field.json)
        return answer
    }

    /// A refusal of a path: standard input belongs to the terminal, and a pipe would block the pane.
    static func isPath(field: String) -> ControlAPI.Answer {
        refuse(.badRequest, "the pane takes a profile's name, not a path", field: field)
    }

    /// A refusal of a profile, with the command line's message. The field is that of the first mistake, such as
    /// "downlink.rate", or the lane if its list of figures cannot be read.
    static func refuse(_ error: InvalidProfile, lane: String) -> ControlAPI.Answer {
        let message = error.issues.map(\.withoutPosition).joined(separator: "\n")
        let path = error.issues[0].path.description
        let field = path.hasPrefix("$.") ? String(path.dropFirst(2)) : lane
        return refuse(.badProfile, message, field: field)
    }
}
