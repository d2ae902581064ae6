// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinkProfiles
import LinuxSystem

/// The file for a scenario that is still to be found.
struct ScenarioFile {
    let path: String
    private let directory: Directory
    private let name: String

    /// Opens the directory of the path, so that what was found can be written hours later. Without a path it is the first
    /// of explored.json, explored-2.json and so on that is free.
    init(_ chosen: String?) throws {
        var path = chosen ?? "explored.json"
        if path.isEmpty || path.hasSuffix("/") { throw Failure(.usage, "--write \(path) names no file") }
        var number = 2
        while chosen == nil, access(path, F_OK) == 0 {
            path = "explored-\(number).json"
            number += 1
        }
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard access(parent, F_OK) == 0 else {
            throw Failure(
                .notFound,
                "cannot write \(path): there is no directory \(parent)",
                remedy: "mkdir -p \(parent)"
            )
        }
        guard access(parent, W_OK | X_OK) == 0 else {
            throw Failure(
                .notPermitted,
                "cannot write \(path): \(String(cString: strerror(errno)))",
                remedy: "--write FILE"
            )
        }
        var facts = stat()
        if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
            throw Failure(.usage, "--write \(path) is not a file")
        }
        (self.path, name) = (path, slash.map { String(path[path.index(after: $0)...]) } ?? path)
        directory = try Directory(making: parent)
    }

    /// Writes the scenario as a whole.
    func write(_ scenario: JSON) throws {
        let bytes = Array((scenario.text + "\n").utf8)
        try directory.replace(name, mode: 0o644) { Descriptors.write(bytes[...], to: $0) }
    }
}
