// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import ProfileCatalog
import Reports

/// The command of `run`, `matrix` or `limits` where "--" does not stand before it.
///
/// The parser takes such a command's options for this program's own: `linkcond run 3G curl --version` would print this
/// program's version and exit with 0, and curl would never run.
struct UnmarkedCommand {
    /// The problem, and the command to type.
    let message: String

    /// At most this many words are checked, each of which may take a parse of all before it.
    private static let limit = 200

    /// Finds the command's first word among the arguments of `type`; nil if no word before "--" can be one.
    init?(_ type: any ParsableCommand.Type, _ arguments: [String]) {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        // With a "--", the parser's own message is better, unless it would answer and exit with 0.
        let answered = ["--help", "-h", "--version", "--generate-completion-script"]
        guard end == arguments.endIndex || arguments[..<end].contains(where: answered.contains) else { return nil }
        for index in arguments[..<end].indices.prefix(Self.limit) where !Self.isOption(arguments[index]) {
            // Otherwise the word is the value of the option before it, or that option is wrong.
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

    /// The command that the words mean with a command after them; nil if they are not valid.
    private static func parse(_ type: any ParsableCommand.Type, _ words: ArraySlice<String>) -> (any ParsableCommand)? {
        guard let command = try? type.parseAsRoot(words + ["--", "true"]), Swift.type(of: command) == type else {
            return nil
        }
        return command
    }

    /// The reason why the word, which stands where a profile may, names none; nil if it does.
    private static func reason(_ word: String, isNoProfileOf command: any ParsableCommand) -> String? {
        let options = (command as? Linkcond.Run)?.profileOptions ?? (command as? Linkcond.Limits)?.profileOptions
        guard let options, options.profile == word, word != "-" else { return nil }
        guard !Catalog.isPath(word) else {
            // A file of a profile is not executable. It is not read, since it may be a pipe.
            let isProfile = access(word, R_OK) == 0 && (access(word, X_OK) != 0 || word.hasSuffix(".json"))
            return isProfile ? nil : "\"\(word)\" is not a profile's file"
        }
        do throws(CatalogError) {
            _ = try options.catalogOptions.catalog.profile(word)
            return nil
        } catch {
            guard case .unknownName = error else { return nil }
            return "\(error)"
        }
    }

    /// The line as it can be typed, or its beginning.
    private static func line(_ words: [String]) -> String {
        let line = (["linkcond"] + words).map(\.shellWord).joined(separator: " ").escapingControls()
        return line.utf8.count > 1000 ? line.prefix(1000) + "..." : line
    }
}
