// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Holds the commands that the pages show to what the program's help explains.
@Suite struct CommandLineTests {
    private static func help(_ subcommand: String...) throws -> [String] {
        let result = try CommandResult(of: [Package.linkcond, "help"] + subcommand, limit: 180)
        try result.requireSuccess()
        return result.lines.map(String.init)
    }

    /// The options of each subcommand, by its help.
    private static let options = Result { try readOptions() }

    private static func readOptions() throws -> [String: Set<String>] {
        var options: [String: Set<String>] = [:]
        for line in try help().drop(while: { $0 != "TEST A CLIENT:" }) {
            guard let match = line.prefixMatch(of: #/  ([a-z]+) /#) else { continue }
            let subcommand = String(match.1)
            options[subcommand] = Set(
                try help(subcommand).filter { $0.hasPrefix("  -") }
                    .flatMap { $0.matches(of: /(?:^  |, )(-[\w-]+)/).map { String($0.1) } }
            )
        }
        return options
    }

    /// The words of each call of linkcond in a line of shell, up to its own command's arguments.
    private static func calls(in line: String) -> [[String]] {
        let words = line.replacing(/'[^']*'|"[^"]*"/, with: "WORD").split(separator: " ").map(String.init)
        return words.indices.filter { words[$0] == "linkcond" }
            .map { start in
                Array(words[(start + 1)...].prefix { !["--", "|", "&&", ";", "#", "linkcond"].contains($0) })
            }
    }

    @Test func findsCalls() {
        let line = "linkcond run 'Slow Net' --timeout 1m -- curl --fail x && linkcond reset --now  # --all"
        #expect(Self.calls(in: line) == [["run", "WORD", "--timeout", "1m"], ["reset", "--now"]])
    }

    @Test func showsOptionsThatExist() throws {
        let options = try Self.options.get()
        var count = 0
        for page in Document.all {
            for call in page.commands.flatMap(Self.calls) {
                guard let subcommand = call.first, !subcommand.hasPrefix("-"), subcommand != "help" else { continue }
                guard let known = options[subcommand] else {
                    Issue.record("\(page.path): there is no linkcond \(subcommand)")
                    continue
                }
                count += 1
                for option in call.dropFirst() where option.hasPrefix("-") && option != "-" {
                    #expect(known.contains(option), "\(page.path): linkcond \(subcommand) \(option)")
                }
            }
        }
        #expect(count >= 30)
    }

    /// The guide's first table leads to each.
    @Test func leadsToEachCommand() throws {
        let page = try #require(Document.guide.first { $0.name == "linkcond" })
        let rows = page.text.split(separator: "\n").drop { $0 != "## I want to ..." }.prefix { $0 != "## Words" }
        let named = rows.filter { $0.hasPrefix("|") }.flatMap { row in
            (row.split(separator: "|").last ?? "").matches(of: /`([a-z]+)/).map { String($0.1) }
        }
        #expect(try Set(named) == Set(Self.options.get().keys).subtracting(["help"]))
    }

    /// Code such as `--for 10m`, without a subcommand, is an option of some subcommand, or of a script or another
    /// program that the same paragraph names.
    @Test func namesOptionsThatExist() throws {
        let foreign: Set<String> = [
            "--privileged", "--cap-add", "--tls-keylog", "--no-parallel", "--maxfail", "--no-sandbox", "--headless",
            "--remote-debugging-pipe", "--max-time", "--retry", "--junitxml",
        ]
        let known = try Self.options.get().values.reduce(into: foreign) { $0.formUnion($1) }
        for page in Document.all {
            for match in page.text.matches(of: /`(--[a-z-]+)[^`]*`/) {
                #expect(known.contains(String(match.1)), "\(page.path): \(match.0)")
            }
        }
    }
}
