// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles

/// Writes a Swift file that holds profiles as texts: `embed-profiles OUTPUT PROFILE.json...`.
/// Runs during the build, so a profile that is not valid, or a name used twice, does not build.
@main
enum EmbedProfiles {
    static func main() throws {
        let paths = CommandLine.arguments.dropFirst()
        guard let output = paths.first else {
            fail("usage: embed-profiles OUTPUT PROFILE.json...")
        }
        var fileOfName: [String: String] = [:]
        var entries = ""
        for path in paths.dropFirst().sorted() {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            let profile = valid(data, path)
            if let other = fileOfName.updateValue(path, forKey: Profile.normalized(profile.name)) {
                fail("\(path): error: the name \"\(profile.name)\" is taken by \(other)")
            }
            let json = String(decoding: data, as: UTF8.self)
            entries += "        BuiltInProfile(name: \(profile.name.debugDescription), json: \(literal(json))),\n"
        }
        let text = """
            // Written by embed-profiles from the files in Profiles/.
            enum BuiltInProfiles {
                static let all: [BuiltInProfile] = [
            \(entries)    ]
            }

            """
        try text.write(toFile: output, atomically: true, encoding: .utf8)
    }

    private static func valid(_ data: Data, _ path: String) -> Profile {
        do {
            return try Profile(utf8: data)
        } catch {
            fail(error.issues.map { "\(path):\($0)" }.joined(separator: "\n"))
        }
    }

    private static func literal(_ json: String) -> String {
        json.unicodeScalars.reduce(into: "\"") { literal, scalar in
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case "\n": literal += "\\n"
            default: literal.unicodeScalars.append(scalar)
            }
        } + "\""
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(65)
    }
}
