// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles

/// The files from which the built-in profiles are made.
enum ProfilesDirectory {
    static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Profiles")

    /// The names of the profiles' files, without the schema, in alphabetical order; empty if the directory cannot be read.
    static let names: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))
        return (names ?? []).filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }.sorted()
    }()

    static func text(_ name: String) throws -> String {
        try String(contentsOf: url.appending(path: name), encoding: .utf8)
    }

    static func profile(_ name: String) throws -> Profile {
        try Profile(utf8: text(name).utf8)
    }
}
