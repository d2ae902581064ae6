// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The package's own files, found from where this one was compiled.
enum PackageDirectory {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let fixtures = root.appending(path: "Tests/Support/ProfileFixtures")
    static let scenarios = root.appending(path: "Tests/Support/ScenarioFixtures")
    static let rules = root.appending(path: "Tests/Support/RuleFixtures")
    static let populations = root.appending(path: "Tests/Support/PopulationFixtures")

    /// A recording that is too large for the repository; it may lie beside it.
    static let recording = root.appending(path: "../shared/traces/ATT-LTE-driving-2016.down")

    /// The names in `directory` that end in ".json", in alphabetical order; none where it cannot be read.
    static func jsonNames(in directory: URL) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
        return (names ?? []).filter { $0.hasSuffix(".json") }.sorted()
    }
}
