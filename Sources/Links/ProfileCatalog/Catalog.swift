// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles

/// Finds profiles by name: first in the directories, in order, then among the built-in profiles.
public struct Catalog: Sendable {
    /// The directories to search, nearest first. Directories that do not exist are skipped.
    public internal(set) var directories: [String]
    /// The directory of the user's own profiles; nil if the environment names none.
    public private(set) var ownDirectory: String?
    /// The built-in profiles, which are searched last.
    var builtIn = BuiltInProfiles.all
    /// The IDs of the users whose directories are searched; nil for all users.
    private var owners: Set<UInt32>?
    /// The directories that are searched regardless of their owner.
    private var given: Set<String> = []

    /// Makes a catalog of `directories`, nearest first, and the built-in profiles.
    public init(directories: [String]) {
        self.directories = directories
    }

    /// Makes a catalog of the default directories: `extra`, `$LINKCOND_PROFILE_PATH`, `./Profiles`,
    /// `$XDG_CONFIG_HOME/linkcond/profiles` (by default below `~/.config`) and `/etc/linkcond/profiles`.
    ///
    /// For root, a directory other than `extra` is searched only if it belongs to root or to `$SUDO_UID` and no other
    /// user may write to it: a user who can write to the working directory must not choose what root applies.
    ///
    /// - Parameter isRoot: whether the user is root; nil to check the effective user ID.
    public init(extra: [String] = [], environment: [String: String], isRoot: Bool? = nil) {
        let named = environment["LINKCOND_PROFILE_PATH"]?.split(separator: ":").map(String.init) ?? []
        let configuration =
            environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? environment["HOME"].map { "\($0)/.config" }
        let own = configuration.map { "\($0)/linkcond/profiles" }
        self.init(
            directories: extra + named + ["./Profiles"] + [own].compactMap { $0 } + ["/etc/linkcond/profiles"]
        )
        ownDirectory = own
        given = Set(extra)
        guard isRoot ?? (geteuid() == 0) else { return }
        owners = Set([0] + [environment["SUDO_UID"].flatMap { UInt32($0) }].compactMap { $0 })
    }

    /// The existing directories that are not searched, because they are not trusted.
    public func untrusted() -> [UntrustedDirectory] {
        directories.compactMap { path in
            guard let directory = try? ProfileDirectory(path: path) else { return nil }
            return distrust(directory, path).map { UntrustedDirectory(path: path, reason: $0) }
        }
    }

    private func distrust(_ directory: borrowing ProfileDirectory, _ path: String) -> UntrustedDirectory.Reason? {
        given.contains(path) ? nil : directory.facts.flatMap(distrust)
    }

    /// The reason why a directory is not searched; nil if it is. `facts` is the result of fstat(2).
    func distrust(_ facts: stat) -> UntrustedDirectory.Reason? {
        owners.flatMap { UntrustedDirectory.Reason(facts, owners: $0) }
    }

    /// Whether `word` is a path of a profile, or "-", and not a name.
    public static func isPath(_ word: String) -> Bool {
        word == "-" || word.contains("/") || word.hasSuffix(".json")
    }

    /// Loads the profile that `word` selects: by a path (with "/" or ending in ".json"), by name, or from standard
    /// input for "-".
    public func profile(_ word: String) throws(CatalogError) -> LoadedProfile {
        if Self.isPath(word) { return try LoadedProfile.read(path: word) }
        let wanted = Profile.normalized(word)
        var mistakes: [CatalogError] = []
        for directory in directories {
            let contents = read(directory: directory)
            if let match = contents.entries.first(where: { $0.normalizedName == wanted }) { return try match.load() }
            // An invalid file is reported if its file name matches the name that is looked up.
            mistakes += contents.mistakes.filter { Self.stem(ofFile: $0.path) == wanted }.map(\.error)
        }
        if let mistake = mistakes.first { throw mistake }
        if let match = builtIn.first(where: { Profile.normalized($0.name) == wanted }) {
            return try CatalogEntry(match).load()
        }
        throw .unknownName(word, nearest: nearestName(to: word))
    }

    /// Returns every profile that a name can select, in the order of names, and the errors of unreadable files.
    ///
    /// Of several profiles with the same name, only the nearest is returned. Built-in profiles, and files identical to
    /// a built-in profile, are not parsed.
    func entries() -> (entries: [CatalogEntry], mistakes: [CatalogError]) {
        var seen: Set<String> = []
        var entries: [(key: String, entry: CatalogEntry)] = []
        var mistakes: [CatalogError] = []
        func add(_ entry: CatalogEntry) {
            guard seen.insert(entry.normalizedName).inserted else { return }
            entries.append((entry.name.lowercased(), entry))
        }
        for directory in directories {
            let contents = read(directory: directory)
            contents.entries.forEach(add)
            mistakes += contents.mistakes.map(\.error)
        }
        for profile in builtIn { add(CatalogEntry(profile)) }
        return (entries.sorted { $0.key < $1.key }.map(\.entry), mistakes)
    }

    /// Returns the profiles of `entries()`, parsed.
    public func all() -> (profiles: [LoadedProfile], mistakes: [CatalogError]) {
        var (entries, mistakes) = entries()
        var profiles: [LoadedProfile] = []
        for entry in entries {
            do { profiles.append(try entry.load()) } catch { mistakes.append(error) }
        }
        return (profiles, mistakes)
    }

    func names() -> [String] {
        let own = directories.flatMap { read(directory: $0).entries.map(\.name) }
        return own + builtIn.map(\.name)
    }

    /// The name of a file without its extension, in the form that lookups compare.
    static func stem(ofFile path: String) -> String {
        Profile.normalized(String(path.split(separator: "/").last?.dropLast(5) ?? ""))
    }

    typealias Contents = (entries: [CatalogEntry], mistakes: [(path: String, error: CatalogError)])

    func read(directory path: String) -> Contents {
        var contents: Contents = ([], [])
        do throws(UnreadableFile) {
            let directory = try ProfileDirectory(path: path)
            guard distrust(directory, path) == nil else { return contents }
            for name in try directory.names() where name.hasSuffix(".json") && !name.hasSuffix(".schema.json") {
                do throws(CatalogError) {
                    contents.entries.append(try Self.entry(name, in: directory, path: path))
                } catch {
                    contents.mistakes.append(("\(path)/\(name)", error))
                }
            }
        } catch {
            let isAbsent = error.code == ENOENT || error.code == ENOTDIR
            return ([], isAbsent ? [] : [("", .unreadable(error))])
        }
        return contents
    }

    private static func entry(
        _ name: String,
        in directory: borrowing ProfileDirectory,
        path: String
    ) throws(CatalogError) -> CatalogEntry {
        let bytes: [UInt8]
        do {
            bytes = try directory.bytes(of: name, limit: Profile.maximumBytes)
        } catch {
            throw .unreadable(error)
        }
        let path = "\(path)/\(name)"
        if let profile = BuiltInProfiles.profile(file: name, bytes: bytes) {
            return CatalogEntry(profile, origin: .file(path))
        }
        return CatalogEntry(try LoadedProfile(utf8: bytes, path: path))
    }
}
