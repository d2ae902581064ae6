// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles

/// Finds profiles by name: in directories, in order, then among the built-in ones.
public struct Catalog: Sendable {
    /// The directories searched, nearest first. Those that do not exist are passed over.
    public let directories: [String]

    /// Makes a catalog of `directories`, nearest first, and the built-in profiles.
    public init(directories: [String]) {
        self.directories = directories
    }

    /// Makes a catalog of the usual places: `extra`, `$LINKCOND_PROFILE_PATH`, `./Profiles`,
    /// `$XDG_CONFIG_HOME/linkcond/profiles` (by default below `~/.config`) and `/etc/linkcond/profiles`.
    public init(extra: [String] = [], environment: [String: String]) {
        let named = environment["LINKCOND_PROFILE_PATH"]?.split(separator: ":").map(String.init) ?? []
        let configuration =
            environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? environment["HOME"].map { "\($0)/.config" }
        self.init(
            directories: extra + named + ["./Profiles"]
                + (configuration.map { ["\($0)/linkcond/profiles"] } ?? []) + ["/etc/linkcond/profiles"]
        )
    }

    /// The profile that `word` means: a path (with "/" or ending in ".json"), "-" for standard input, or a name.
    public func profile(_ word: String) throws(CatalogError) -> LoadedProfile {
        if word == "-" || word.contains("/") || word.hasSuffix(".json") { return try LoadedProfile.read(path: word) }
        let wanted = Profile.normalized(word)
        var mistakes: [CatalogError] = []
        for directory in directories {
            let shelf = Self.read(directory: directory)
            if let match = shelf.profiles.first(where: { Profile.normalized($0.profile.name) == wanted }) {
                return match
            }
            // A broken file may be the one that was meant: its name then says so.
            mistakes += shelf.mistakes.filter { $0.stem == wanted }.map(\.error)
        }
        if let mistake = mistakes.first { throw mistake }
        if let match = BuiltInProfiles.all.first(where: { Profile.normalized($0.name) == wanted }) {
            return try Self.load(match)
        }
        throw .unknownName(word, nearest: Spelling.nearest(to: word, among: names()))
    }

    /// Every profile that a name can reach, by name; where two have one name, the nearer.
    /// With them, what could not be read.
    public func all() -> (profiles: [LoadedProfile], mistakes: [CatalogError]) {
        var seen: Set<String> = []
        var profiles: [LoadedProfile] = []
        var mistakes: [CatalogError] = []
        func add(_ candidates: [LoadedProfile]) {
            profiles += candidates.filter { seen.insert(Profile.normalized($0.profile.name)).inserted }
        }
        for directory in directories {
            let shelf = Self.read(directory: directory)
            add(shelf.profiles)
            mistakes += shelf.mistakes.map(\.error)
        }
        for entry in BuiltInProfiles.all {
            do { add([try Self.load(entry)]) } catch { mistakes.append(error) }
        }
        return (profiles.sorted { $0.profile.name.lowercased() < $1.profile.name.lowercased() }, mistakes)
    }

    private func names() -> [String] {
        let own = directories.flatMap { Self.read(directory: $0).profiles.map(\.profile.name) }
        return own + BuiltInProfiles.all.map(\.name)
    }

    private typealias Shelf = (profiles: [LoadedProfile], mistakes: [(stem: String, error: CatalogError)])

    private static func read(directory: String) -> Shelf {
        let names: [String]
        do {
            names = try FileReading.names(inDirectory: directory)
        } catch {
            let isAbsent = error.code == ENOENT || error.code == ENOTDIR
            return ([], isAbsent ? [] : [("", .unreadable(error))])
        }
        var shelf: Shelf = ([], [])
        for name in names where name.hasSuffix(".json") && name != "profile.schema.json" {
            do {
                shelf.profiles.append(try LoadedProfile.read(path: "\(directory)/\(name)", isFound: true))
            } catch {
                shelf.mistakes.append((Profile.normalized(String(name.dropLast(5))), error))
            }
        }
        return shelf
    }

    private static func load(_ entry: BuiltInProfile) throws(CatalogError) -> LoadedProfile {
        do {
            return LoadedProfile(profile: try Profile(utf8: entry.json.utf8), origin: .builtIn)
        } catch {
            throw .invalid(path: entry.name, error)
        }
    }
}
