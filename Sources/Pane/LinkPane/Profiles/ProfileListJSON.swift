// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import ProfileCatalog

/// The list of profiles for the page, from mild to harsh; files with mistakes come last, with their messages.
enum ProfileListJSON {
    static func list(_ catalog: Catalog) -> JSON {
        let (profiles, mistakes) = catalog.all()
        let mine = catalog.ownDirectory
        let visible = profiles.map { entry($0, mine: mine) }
        let hidden = catalog.hidden().map { hidden in
            let (harshness, json) = entry(hidden.loaded, mine: mine)
            return (harshness, json.replacing("hiddenBy", "\(hidden.nearer)".json))
        }
        let sorted = (visible + hidden).enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
        return JSON(("profiles", .list(sorted.map(\.element.1) + mistakes.map { broken($0, mine: mine) })))
    }

    private static func entry(_ loaded: LoadedProfile, mine: String?) -> (harshness: Double, json: JSON) {
        let profile = loaded.profile
        let file: String? = if case .file(let path) = loaded.origin { path } else { nil }
        let (recordings, problem) = loaded.readableRecordings
        let harshness = profile.harshness(recordings)
        let json = JSON(
            ("name", profile.name.json),
            ("summary", .text(profile.summary)),
            ("source", .text(profile.source)),
            ("mine", (file?.isIn(mine) == true).json),
            ("file", .text(file)),
            ("hidesBuiltIn", loaded.hidesBuiltIn ? true : nil),
            ("problem", .text(problem)),
            ("harshness", .number((harshness * 1e4).rounded() / 1e4)),
            ("columns", profile.columns),
            ("feels", profile.feels(recordings).joined(separator: "; ").json),
            ("hasFaults", (!profile.faults.isEmpty).json)
        )
        return (harshness, json)
    }

    /// A file that is no profile, below its name.
    private static func broken(_ mistake: CatalogError, mine: String?) -> JSON {
        let path = mistake.path
        let name = path?.split(separator: "/").last.map { String($0.hasSuffix(".json") ? $0.dropLast(5) : $0) }
        return JSON(
            ("name", (name ?? "?").json),
            ("mine", (path?.isIn(mine) == true).json),
            ("file", .text(path)),
            ("problem", "\(mistake)".json)
        )
    }
}

extension LoadedProfile {
    /// The recordings of the profile, or the message if one of them cannot be used.
    var readableRecordings: (recordings: Recordings, problem: String?) {
        do {
            return (try recordings(), nil)
        } catch {
            return ([:], "\(error)")
        }
    }
}

extension CatalogError {
    /// The path of the file with the mistake.
    fileprivate var path: String? {
        switch self {
        case .unreadable(let file): file.path
        case .invalid(let path, _): path
        default: nil
        }
    }
}

extension String {
    fileprivate func isIn(_ directory: String?) -> Bool { directory.map { hasPrefix("\($0)/") } ?? false }
}
