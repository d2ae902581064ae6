// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import linkcond

/// What the scripts of the shells ask; scripts/check/completions types it into the shells themselves.
@Suite struct CompletionTests {
    /// The answer to bash at the end of a line, of which bash replaces `text`.
    private func bash(_ line: String, _ text: String) throws -> [String] {
        try Program.run("complete", "bash", line, text).lines.map(String.init)
    }

    @Test(arguments: [
        ("linkcond ru", "ru", ["words", "run"]),
        ("linkcond run very-b", "very-b", ["names", "very-bad-network"]),
        ("linkcond run 3g --offl", "--offl", ["words", "--offline"]),
        ("linkcond run --report re", "re", ["directories"]),
        ("linkcond run --scenario ./l", "./l", ["files"]),
        ("linkcond run 3g -- cu", "cu", ["command"]),
        ("linkcond run --expect 'leaves", "leaves", ["words", "leaves no connection open"]),
        ("linkcond run --expect leaves", "leaves", ["words", "leaves\\ no\\ connection\\ open"]),
        // bash splits at "=", and replaces the rest only.
        ("linkcond run --engine=us", "us", ["words", "userspace"]),
        ("linkcond limits --vary loss=", "", ["words", "0..50%"]),
        ("linkcond matrix 3g nat-r", "nat-r", ["names", "nat-rebinding"]),
        ("linkcond matrix 3g --shard a", "a", ["words", "auto"]),
        ("linkcond matrix 3g --shard 1/4 --timings re", "re", ["files"]),
        ("linkcond apply 3g -i lo --facing p", "p", ["words", "peer"]),
        ("linkcond pane --report re", "re", ["directories"]),
        ("linkcond pane --token-file to", "to", ["files"]),
        ("linkcond pane --socket /r", "/r", ["files"]),
        ("linkcond nothing ", "", ["words"]),
    ])
    func completesInBash(line: String, text: String, answer: [String]) throws {
        #expect(try bash(line, text) == answer)
    }

    @Test func explainsOptionsToOtherShells() throws {
        let lines = try Program.run("complete", "fish", "run", "3g", "--off").lines
        #expect(lines.first == "words")
        #expect(lines.contains { $0.hasPrefix("--offline\tNo uplink") })
    }

    @Test func offersAnOptionOnce() throws {
        let lines = try Program.run("complete", "zsh", "run", "--offline", "--expect", "x", "--").lines
        #expect(!lines.contains { $0.hasPrefix("--offline\t") })
        #expect(lines.contains { $0.hasPrefix("--expect\t") })
    }

    /// Whether a value is completed depends on its metavariable, so each has one that says what it is.
    @Test(arguments: CommandName.allCases)
    func knowsMetavariables(command: CommandName) throws {
        for argument in CommandArgument.all(of: command.type) {
            guard let metavariable = argument.metavariable else { continue }
            let isKnown = metavariable.allSatisfy { $0.isUppercase || "-=/".contains($0) }
            #expect(isKnown, "\(argument.names) \(metavariable)")
        }
    }

    @Test func readsQuotes() {
        let words = ShellWords(#"linkcond run 'Slow Net' --expect "at most" a\ b 'c d"#)
        #expect(words.words == ["linkcond", "run", "Slow Net", "--expect", "at most", "a b", "c d"])
        #expect(words.isQuoted && words.typed == "'c d")
        #expect(ShellWords("linkcond ").words == ["linkcond", ""])
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func printsAScript(shell: String) throws {
        let outcome = try Program.run("--generate-completion-script", shell)
        #expect(outcome.status == 0 && outcome.output.contains("complete \(shell)"))
    }

    @Test func refusesOtherShells() throws {
        let outcome = try Program.run("--generate-completion-script", "tcsh")
        #expect(outcome.status == 64 && outcome.errors.contains("bash, zsh and fish"), "\(outcome)")
    }
}
