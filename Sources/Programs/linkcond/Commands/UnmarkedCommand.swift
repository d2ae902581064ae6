// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import ProfileCatalog
import Reports
import Trials

/// A command for `run`, `matrix` or `limits` that does not follow "--".
///
/// The parser would take the command's options for options of linkcond: `linkcond run 3G curl --version` would print
/// linkcond's version and exit with 0, without running curl.
struct UnmarkedCommand {
    /// The problem, and the command to type instead.
    let message: String

    /// The maximum number of words to check, since each may require parsing all words before it.
    private static let limit = 200

    /// Finds the command's first word among the arguments of the subcommand `type`; nil if no word before "--" can be
    /// one.
    init?(_ type: any ParsableCommand.Type, _ arguments: [String]) {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        // With a "--", the parser reports the mistake better, unless it would print help or a version and exit with 0.
        let answered = ["--help", "-h", "--version", "--generate-completion-script"]
        guard end == arguments.endIndex || arguments[..<end].contains(where: answered.contains) else { return nil }
        for index in arguments[..<end].indices.prefix(Self.limit) where !Self.isOption(arguments[index]) {
            // If the words before do not parse, this word is the value of an option, or an option before it is wrong.
            guard Self.parse(type, arguments[..<index]) != nil else { continue }
            let word = arguments[index]
            let problem: String
            if let command = Self.parse(type, arguments[...index]) {
                guard end == arguments.endIndex, let reason = Self.reason(word, isNoProfileOf: command) else {
                    continue
                }
                problem = reason
            } else {
                problem = "\"\(word)\" is neither an option nor the value of one"
            }
            let name = type.configuration.commandName ?? ""
            self.message =
                end < arguments.endIndex
                ? "\(problem), and stands before \"--\"; a command and its arguments stand after it\n"
                    + "try: linkcond help \(name)"
                : "\(problem)\(problem.hasSuffix("?") ? " If" : "; if") it is the command, type \"--\" before it\n"
                    + "try: \(Self.line([name] + arguments[..<index] + ["--"] + arguments[index...]))"
            return
        }
        return nil
    }

    private static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" }

    /// Parses the words as if a command followed; nil if they are not valid.
    private static func parse(_ type: any ParsableCommand.Type, _ words: ArraySlice<String>) -> (any ParsableCommand)? {
        guard let command = try? type.parseAsRoot(words + ["--", "true"]), Swift.type(of: command) == type else {
            return nil
        }
        return command
    }

    /// The reason why the word, at the position of a profile, does not name one; nil if it does.
    private static func reason(_ word: String, isNoProfileOf command: any ParsableCommand) -> String? {
        guard word != "-", let (profiles, catalogOptions) = Self.profiles(of: command), profiles.contains(word) else {
            return nil
        }
        guard !Catalog.isPath(word) else {
            // The file of a profile is not executable. The file is not read, since it may be a pipe.
            let isProfile = access(word, R_OK) == 0 && (access(word, X_OK) != 0 || word.hasSuffix(".json"))
            return isProfile ? nil : "\"\(word)\" is not a profile's file"
        }
        do throws(CatalogError) {
            let catalog = catalogOptions.catalog
            guard !(command is Linkcond.Matrix && catalog.isScenario(word)) else { return nil }
            _ = try catalog.profile(word)
            return nil
        } catch {
            guard case .unknownName = error else { return nil }
            return "\(error)"
        }
    }

    /// The words of a command that name profiles without an option.
    private static func profiles(of command: any ParsableCommand) -> ([String], CatalogOptions)? {
        switch command {
        case let run as Linkcond.Run: ([run.profileOptions.profile ?? ""], run.profileOptions.catalogOptions)
        case let limits as Linkcond.Limits:
            ([limits.profileOptions.profile ?? ""], limits.profileOptions.catalogOptions)
        case let explore as Linkcond.Explore: ([explore.named ?? ""], explore.catalogOptions)
        case let matrix as Linkcond.Matrix: (matrix.profiles, matrix.catalogOptions)
        default: nil
        }
    }

    /// The corrected command line, shortened if it is very long.
    static func line(_ words: [String]) -> String {
        let line = (["linkcond"] + words).map(\.shellWord).joined(separator: " ").escapingControls()
        return line.utf8.count > 1000 ? line.prefix(1000) + "..." : line
    }
}
