// SPDX-License-Identifier: Apache-2.0

/// Completion of command lines: the shells' scripts ask this program.
///
/// The scripts that the parser makes offer no names of profiles, interfaces or files, and nothing after "--".
enum Completion {
    /// The subcommand that the scripts call. It is for them alone, so no help lists it.
    static let commandName = "complete"

    /// Prints what the shell does by itself (`CompletionAnswer.Rest`), and a line for each candidate.
    ///
    /// - Parameter arguments: "bash", the line up to the cursor, and the end of it that bash replaces; or "zsh" or
    ///   "fish", and the words up to the cursor.
    static func run(_ arguments: [String]) {
        guard arguments.count > 1 else { return }
        guard arguments[0] == "bash" else {
            let words = arguments.dropFirst()
            let answer = CompletionAnswer(after: Array(words.dropLast()), at: unquoted(words.last ?? ""))
            let lines = answer.candidates.map { $0.summary.isEmpty ? $0.word : "\($0.word)\t\($0.summary)" }
            return print(answer.rest, lines)
        }
        let line = ShellWords(arguments[1])
        let current = line.words.last ?? ""
        let answer = CompletionAnswer(after: Array(line.words.dropFirst().dropLast()), at: current)
        let text = arguments.count > 2 ? arguments[2] : ""
        print(
            answer.rest,
            answer.candidates.filter { $0.word.hasPrefix(current) }.map { line.insertion($0.word, for: text) }
        )
    }

    private static func print(_ rest: CompletionAnswer.Rest, _ lines: [String]) {
        Console.text(([rest.rawValue] + lines).joined(separator: "\n"))
    }

    /// The word without a quote that is still open.
    private static func unquoted(_ word: String) -> String {
        word.first == "'" || word.first == "\"" ? String(word.dropFirst()) : word
    }

    static func printScript(for shell: String?) throws(Failure) {
        guard let shell, let script = scripts[shell] else {
            throw Failure(
                .usage,
                "completions are for bash, zsh and fish",
                remedy: "linkcond --generate-completion-script bash"
            )
        }
        Console.text(script)
    }
}
