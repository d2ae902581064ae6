// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinkProfiles
internal import LinuxSystem

/// The files for the scenarios that a search may find.
package struct ScenarioFiles {
    /// The path of the first file.
    private let first: String
    private let directory: Directory
    /// Whether existing files are replaced: true if the user has named the first.
    private let replaces: Bool

    /// Why scenarios cannot be written to a path.
    package enum Problem: Error {
        /// The path ends with a slash, or is empty.
        case noName(path: String)
        case noDirectory(parent: String, path: String)
        /// The directory may not be written; with errno.
        case forbidden(path: String, code: CInt)
        /// The path leads to something else than a file.
        case noFile(path: String)
    }

    /// Opens the directory of the path, so that scenarios can be written hours later. Without a path, the first file is
    /// the first free one of explored.json, explored-2.json and so on.
    package init(_ chosen: String?) throws {
        let path = chosen ?? Self.free("explored.json", from: 1).path
        if path.isEmpty || path.hasSuffix("/") { throw Problem.noName(path: path) }
        let parent = path.pathParts.parent
        guard access(parent, F_OK) == 0 else { throw Problem.noDirectory(parent: parent, path: path) }
        guard access(parent, W_OK | X_OK) == 0 else { throw Problem.forbidden(path: path, code: errno) }
        var facts = stat()
        if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG { throw Problem.noFile(path: path) }
        (first, replaces) = (path, chosen != nil)
        directory = try Directory(making: parent)
    }

    /// The paths of the first `count` files.
    package func paths(_ count: Int) -> [String] {
        guard !replaces else { return (0..<count).map { Self.path(first, number: $0 + 1) } }
        var number = 1
        return (0..<count).map { _ in
            let found = Self.free("explored.json", from: number)
            number = found.number + 1
            return found.path
        }
    }

    private static func free(_ path: String, from number: Int) -> (path: String, number: Int) {
        var number = number
        while access(self.path(path, number: number), F_OK) == 0 { number += 1 }
        return (self.path(path, number: number), number)
    }

    /// The path with `number` before its extension, such as "found-2.json"; unchanged for number 1.
    private static func path(_ path: String, number: Int) -> String {
        guard number > 1 else { return path }
        let name = path.pathParts.name
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "\(path)-\(number)" }
        return "\(path.dropLast(name[dot...].count))-\(number)\(name[dot...])"
    }

    /// Replaces the file at `path` by a scenario, atomically.
    package func write(_ scenario: JSON, to path: String) throws {
        let bytes = Array((scenario.text + "\n").utf8)
        try directory.replace(path.pathParts.name, mode: 0o644) { Descriptors.write(bytes[...], to: $0) }
    }
}

extension String {
    /// The directory of a path, and the name in it.
    fileprivate var pathParts: (parent: String, name: String) {
        guard let slash = lastIndex(of: "/") else { return (".", self) }
        return (slash == startIndex ? "/" : String(self[..<slash]), String(self[index(after: slash)...]))
    }
}
