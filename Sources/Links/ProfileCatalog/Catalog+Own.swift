// SPDX-License-Identifier: Apache-2.0

package import Glibc
internal import LinkProfiles

/// The user's own profiles, which are in one of the searched directories.
extension Catalog {
    /// The catalog of the user's own profiles, without any others.
    public var own: Catalog {
        var own = self
        own.directories = ownDirectory.map { [$0] } ?? []
        own.builtIn = []
        return own
    }

    /// Returns the path of the file whose profile has the name `word`, or of an invalid profile whose file name matches
    /// it.
    public func file(_ word: String) throws(CatalogError) -> String {
        let wanted = Profile.normalized(word)
        let contents = directories.map(read)
        for entry in contents.flatMap(\.entries) where entry.normalizedName == wanted {
            if case .file(let path) = entry.origin { return path }
        }
        let broken = contents.flatMap(\.mistakes).map(\.path)
        if let path = broken.first(where: { Self.stem(ofFile: $0) == wanted }) { return path }
        throw .unknownName(word, nearest: nearestName(to: word))
    }

    /// Returns the reason why the directory at `path` is not searched; nil if it is. `facts` is the result of fstat(2).
    package func untrusted(_ facts: stat, at path: String) -> UntrustedDirectory? {
        distrust(facts).map { UntrustedDirectory(path: path, reason: $0) }
    }

    /// Returns the file name for a profile with this name, such as "rmcat-5.1-mine.json".
    public static func fileName(for name: String) -> String {
        // Keeps the characters that `Profile.normalized` keeps, so that an invalid file is found by the profile's name,
        // too.
        let words = name.lowercased().split { !($0.isLetter || $0.isNumber || ".+%".contains($0)) }
        var stem = String(words.joined(separator: "-").drop { $0 == "." })
        while stem.utf8.count > longestStem { stem.removeLast() }
        return stem + (stem.hasSuffix(".schema") ? "-" : "") + ".json"
    }

    // A file name has at most 255 bytes; the names of drafts (temporary files) are longer than the final file's.
    private static let longestStem = 200
}
