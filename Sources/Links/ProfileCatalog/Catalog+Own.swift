// SPDX-License-Identifier: Apache-2.0

package import Glibc
internal import LinkProfiles

/// The user's own profiles, in one of the directories that are searched.
extension Catalog {
    /// The catalog of the user's own profiles, without any others.
    public var own: Catalog {
        var own = self
        own.directories = ownDirectory.map { [$0] } ?? []
        own.builtIn = []
        return own
    }

    /// Returns the path of the file whose profile has the name `word`, or of the invalid file whose own name it is.
    public func file(_ word: String) throws(CatalogError) -> String {
        let wanted = Profile.normalized(word)
        let contents = directories.map(read)
        for entry in contents.flatMap(\.entries) where entry.normalizedName == wanted {
            if case .file(let path) = entry.origin { return path }
        }
        let broken = contents.flatMap(\.mistakes).map(\.path)
        if let path = broken.first(where: { Self.stem(ofFile: $0) == wanted }) { return path }
        throw .unknownName(word, nearest: Spelling.nearest(to: word, among: names()))
    }

    /// Returns why the directory at `path`, of which fstat(2) says `facts`, is not searched; nil if it is.
    package func untrusted(_ facts: stat, at path: String) -> UntrustedDirectory? {
        distrust(facts).map { UntrustedDirectory(path: path, reason: $0) }
    }

    /// Returns the name of the file in which a profile of this name is kept: "rmcat-5.1-mine.json".
    public static func fileName(for name: String) -> String {
        // With what `Profile.normalized` keeps, so that an invalid file is found by the profile's name, too.
        let words = name.lowercased().split { !($0.isLetter || $0.isNumber || ".+%".contains($0)) }
        var stem = String(words.joined(separator: "-").drop { $0 == "." })
        while stem.utf8.count > longestStem { stem.removeLast() }
        return stem + (stem.hasSuffix(".schema") ? "-" : "") + ".json"
    }

    // The longest name of a file has 255 bytes; drafts have longer ones.
    private static let longestStem = 200
}
