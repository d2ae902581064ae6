// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What may stand where the cursor is.
struct CompletionAnswer {
    /// What the shell completes by itself.
    enum Rest: String {
        /// Nothing.
        case none = "words"
        /// Files, if no candidate fits.
        case others = "names"
        case files
        case directories
        /// A command with its arguments, after "--".
        case command
    }

    /// Whole words, perhaps with an explanation.
    var candidates: [(word: String, summary: String)] = []
    var rest = Rest.none

    init(_ words: [String] = [], _ rest: Rest = .none) {
        (candidates, self.rest) = (words.map { ($0, "") }, rest)
    }

    /// The answer for a command line.
    ///
    /// - Parameters:
    ///   - words: the words between "linkcond" and the cursor.
    ///   - current: the beginning of the word at the cursor.
    init(after words: [String], at current: String) {
        self.init()
        guard let first = words.first else {
            for group in CommandName.Group.allCases {
                candidates += group.commands.map { ($0.rawValue, $0.type.configuration.abstract) }
            }
            candidates += ["help", "--help", "--version"].map { ($0, "") }
            return
        }
        if first == "help", words.count == 1 {
            let names = CommandName.Group.allCases.flatMap(\.commands).map(\.rawValue)
            self = CompletionAnswer(names + HelpTopic.allCases.map(\.rawValue))
        } else if let name = CommandName(rawValue: first) {
            self = CompletionAnswer(of: name, words.dropFirst(), current)
        }
    }

    private init(of name: CommandName, _ words: ArraySlice<String>, _ current: String) {
        self.init()
        let arguments = CommandArgument.all(of: name.type)
        func option(_ word: some StringProtocol) -> CommandArgument? {
            arguments.first { $0.names.contains(String(word)) }
        }
        var pending: CommandArgument?
        var positions = 0
        var given: Set<String> = []
        for word in words {
            if pending != nil {
                pending = nil
            } else if word == "--" {
                rest = name.runsCommand ? .command : .none
                return
            } else if word.hasPrefix("-"), word != "-" {
                given.insert(word)
                pending = option(word).flatMap { $0.metavariable == nil ? nil : $0 }
            } else {
                positions += 1
            }
        }
        if let pending {
            self = CompletionAnswer(valuesOf: pending, of: name, current)
        } else if current.hasPrefix("--"), let equals = current.firstIndex(of: "=") {
            guard let option = option(current[..<equals]) else { return }
            self = CompletionAnswer(valuesOf: option, of: name, String(current[equals...].dropFirst()))
            let start = current[...equals]
            candidates = candidates.map { (start + $0.word, $0.summary) }
        } else if current.hasPrefix("-") {
            for argument in arguments where argument.isRepeatable || given.isDisjoint(with: argument.names) {
                candidates += argument.names.filter { $0.hasPrefix(current) }.map { ($0, argument.summary) }
            }
            if name.runsCommand { candidates.append(("--", "the command follows")) }
        } else {
            let positional = arguments.filter { $0.names.isEmpty && !$0.isCommand }
            let argument = positions < positional.count ? positional[positions] : positional.last { $0.isRepeatable }
            if let argument { self = CompletionAnswer(valuesOf: argument, of: name, current) }
            if name.runsCommand { candidates.append(("--", "the command follows")) }
        }
    }
}
