// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The state of a catalog's directories and of the profile files in them: differs after any change that a new reading
/// would show.
package struct CatalogStamp: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        let path: String
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let modified: [Int]
        /// The time of the last change of the owner or the permissions, on which `Catalog` decides whether it searches
        /// the directory.
        let changed: [Int]
    }

    private let entries: [Entry]

    /// Looks at the directories now.
    package init(_ catalog: Catalog) {
        entries = catalog.directories.flatMap { path -> [Entry] in
            guard let directory = Self.entry(path) else { return [] }
            let names = (try? ProfileDirectory(path: path).names()) ?? []
            // A file that is edited in place leaves its directory's time as it is.
            return [directory] + names.filter { $0.hasSuffix(".json") }.compactMap { Self.entry("\(path)/\($0)") }
        }
    }

    private static func entry(_ path: String) -> Entry? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        return Entry(
            path: path,
            device: UInt64(facts.st_dev),
            inode: UInt64(facts.st_ino),
            size: Int64(facts.st_size),
            modified: [facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec],
            changed: [facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec]
        )
    }
}
