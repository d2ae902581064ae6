// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles

/// Writes a Swift source with the texts of profiles, and with what a list shows of them.
///
///     embed-profiles SOURCE PROFILE...
@main enum EmbedProfiles {
    static func main() throws {
        let (source, files) = (CommandLine.arguments[1], CommandLine.arguments.dropFirst(2).map { URL(filePath: $0) })
        let entries = try files.map(entry).joined(separator: ",\n")
        let text = "enum BuiltInProfiles {\n    static let all: [BuiltInProfile] = [\n\(entries)\n    ]\n}\n"
        try Data(text.utf8).write(to: URL(filePath: source))
    }

    private static func entry(_ file: URL) throws -> String {
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let overview = ProfileOverview(profile(text, file))
        return """
                    BuiltInProfile(
                        \(literal(file.lastPathComponent)), \(literal(overview.name)),
                        downlink: \(literal(overview.downlink)), uplink: \(literal(overview.uplink)),
                        dns: \(literal(overview.dns)), json: \(literal(text))
                    )
            """
    }

    /// Reads a profile; mistakes end the program, in the form of a compiler's errors, which builds show.
    private static func profile(_ text: String, _ file: URL) -> Profile {
        do throws(InvalidProfile) {
            return try Profile(utf8: text.utf8)
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
