// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes a Swift source with the names and texts of profiles and scenarios. It reads only the name of each: if it used
/// LinkProfiles, each build would compile that module twice, once for this tool. Tests read the whole of every file.
///
///     embed-profiles SOURCE FILE...     scenarios are files in a directory Scenarios
@main enum EmbedProfiles {
    private struct Named: Decodable {
        let name: String
    }

    static func main() throws {
        let (source, files) = (CommandLine.arguments[1], CommandLine.arguments.dropFirst(2).map { URL(filePath: $0) })
        let scenarios = files.filter { $0.deletingLastPathComponent().lastPathComponent == "Scenarios" }
        let profiles = files.filter { !scenarios.contains($0) }
        let text = """
            enum BuiltInProfiles {
                static let all: [BuiltInProfile] = [
            \(profiles.map { entry("BuiltInProfile", of: $0) }.joined())    ]
            }

            enum BuiltInScenarios {
                static let all: [BuiltInScenario] = [
            \(scenarios.map { entry("BuiltInScenario", of: $0) }.joined())    ]
            }

            """
        try Data(text.utf8).write(to: URL(filePath: source))
    }

    private static func entry(_ type: String, of file: URL) -> String {
        do {
            let text = try Data(contentsOf: file)
            let name = literal(try JSONDecoder().decode(Named.self, from: text).name)
            let json = literal(String(decoding: text, as: UTF8.self))
            return "        \(type)(file: \(literal(file.lastPathComponent)), name: \(name), json: \(json)),\n"
        } catch {
            // In the form of a compiler's errors, which builds show.
            FileHandle.standardError.write(Data("\(file.path()):1:1: error: no JSON with a name: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func literal(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }
}
