// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles

/// Writes a Swift source with the texts of profiles and scenarios, and with what a list shows of profiles.
///
///     embed-profiles SOURCE FILE...
@main enum EmbedProfiles {
    static func main() throws {
        let (source, files) = (CommandLine.arguments[1], CommandLine.arguments.dropFirst(2).map { URL(filePath: $0) })
        let texts = try files.map { (file: $0, text: String(decoding: try Data(contentsOf: $0), as: UTF8.self)) }
        let profiles = texts.filter { !isScenario($0.text) }.map(entry).joined(separator: ",\n")
        let scenarios = texts.filter { isScenario($0.text) }.map(scenario).joined(separator: ",\n")
        let text = """
            enum BuiltInProfiles {
                static let all: [BuiltInProfile] = [
            \(profiles)
                ]
            }

            enum BuiltInScenarios {
                static let all: [BuiltInScenario] = [
            \(scenarios)
                ]
            }

            """
        try Data(text.utf8).write(to: URL(filePath: source))
    }

    private static func isScenario(_ text: String) -> Bool {
        (try? JSON(utf8: text.utf8)).map(Scenario.isDescribed) ?? false
    }

    private static func scenario(_ file: URL, _ text: String) -> String {
        let name = read(file) { () throws(InvalidProfile) in try Scenario(utf8: text.utf8).name }
        return "        BuiltInScenario(name: \(literal(name)), json: \(literal(text)))"
    }

    private static func entry(_ file: URL, _ text: String) -> String {
        let overview = ProfileOverview(read(file) { () throws(InvalidProfile) in try Profile(utf8: text.utf8) })
        return """
                    BuiltInProfile(
                        \(literal(file.lastPathComponent)), \(literal(overview.name)),
                        downlink: \(literal(overview.downlink)), uplink: \(literal(overview.uplink)),
                        dns: \(literal(overview.dns)), json: \(literal(text))
                    )
            """
    }

    /// Reads what is in a file; mistakes end the program, in the form of a compiler's errors, which builds show.
    private static func read<Value>(_ file: URL, _ parse: () throws(InvalidProfile) -> Value) -> Value {
        do throws(InvalidProfile) {
            return try parse()
        } catch {
            let lines = error.issues.map { issue in
                "\(file.path()):\(issue.position.line):\(issue.position.column): error: \(issue.withoutPosition)\n"
            }
            FileHandle.standardError.write(Data(lines.joined().utf8))
            exit(1)
        }
    }

    private static func literal(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }
}
