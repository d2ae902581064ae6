// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// The targets of the package, as `swift package dump-package` prints them.
struct Manifest: Sendable {
    /// A target.
    struct Target: Decodable, Sendable {
        /// A reference to a target or a product: its kind, and a list that begins with its name.
        private struct Reference: Decodable {
            let name: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                guard let kind = container.allKeys.first else { throw Malformed() }
                var list = try container.nestedUnkeyedContainer(forKey: kind)
                name = try list.decode(String.self)
            }
        }

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        /// "regular", "executable", "system", "test", "plugin".
        let type: String
        let name: String
        let path: String
        /// The targets and products that it uses.
        let dependencies: [String]

        private enum CodingKeys: String, CodingKey { case type, name, path, dependencies }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(String.self, forKey: .type)
            name = try container.decode(String.self, forKey: .name)
            path = try container.decode(String.self, forKey: .path)
            dependencies = try container.decode([Reference].self, forKey: .dependencies).map(\.name)
        }

        /// The folder of Sources or Tests in which it is, such as "Links".
        var folder: String { String(path.split(separator: "/").dropFirst().first ?? "") }

        /// The modules that its sources import, those of the system among them.
        func imports() throws -> Set<String> {
            let line =
                /(?m)^ *(?:@\w+(?:\(\w+\))? )*(?:\w+ )?import (?:(?:struct|class|enum|func|let|var|protocol) )?(\w+)/
            return try Set(
                Files.below(path, suffix: ".swift").flatMap {
                    try Files.text($0).matches(of: line).map { String($0.1) }
                }
            )
        }
    }

    let targets: [Target]

    /// The targets below Sources, without the plugin.
    var sources: [Target] { targets.filter { $0.path.hasPrefix("Sources/") && $0.type != "plugin" } }

    /// The manifest of this package; reading it takes a second.
    static let ofThisPackage = Result { try Manifest() }

    struct Malformed: Error {}

    /// Reads the manifest as others see it: without the variables of its own builds.
    private init() throws {
        let unset = ProcessInfo.processInfo.environment.keys.filter { $0.hasPrefix("LINKCOND") }.flatMap { ["-u", $0] }
        let command = ["swift", "package", "--package-path", TestKit.Package.path]
        let scratch = ["--scratch-path", "\(TestKit.Package.path)/.build-release"]
        let result = try CommandResult(of: ["env"] + unset + command + scratch + ["dump-package"])
        try result.requireSuccess()
        struct Package: Decodable { let targets: [Target] }
        targets = try JSONDecoder().decode(Package.self, from: Data(result.bytes)).targets
    }
}
