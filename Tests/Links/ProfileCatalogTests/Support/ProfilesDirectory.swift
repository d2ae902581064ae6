// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles

/// The files from which the built-in profiles are made.
enum ProfilesDirectory {
    static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Profiles")

    /// The names of the profiles' files, without the schema, in alphabetical order; empty if the directory cannot be read.
    static let names: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))
        return (names ?? []).filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }.sorted()
    }()

    /// The texts of the built-in scenarios; empty if their directory cannot be read.
    static let scenarios = texts(in: "Scenarios")
    /// The texts of the built-in populations; empty if their directory cannot be read.
    static let populations = texts(in: "Populations")

    private static func texts(in folder: String) -> [String] {
        let directory = url.appending(path: folder)
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
        return (names ?? []).compactMap { try? String(contentsOf: directory.appending(path: $0), encoding: .utf8) }
    }

    static func text(_ name: String) throws -> String {
        try String(contentsOf: url.appending(path: name), encoding: .utf8)
    }

    static func profile(_ name: String) throws -> Profile {
        try Profile(utf8: text(name).utf8)
    }
}
