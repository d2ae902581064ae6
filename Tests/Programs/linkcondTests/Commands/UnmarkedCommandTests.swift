// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TestKit
import Testing

@testable import linkcond

/// A command that does not follow "--": it must never seem to have run.
@Suite struct UnmarkedCommandTests {
    @Test(arguments: [
        ("run 3G curl --version", "run 3G -- curl --version"),
        ("run 3G curl --help", "run 3G -- curl --help"),
        ("run 3G curl -h", "run 3G -- curl -h"),
        ("run 3G curl -s http://a.test/", "run 3G -- curl -s http://a.test/"),
        ("run curl --version", "run -- curl --version"),
        ("run /bin/sh --version", "run -- /bin/sh --version"),
        ("run --timeout 5 3G --offline curl --version", "run --timeout 5 3G --offline -- curl --version"),
        ("run -i lo 3G curl --version", "run -i lo 3G -- curl --version"),
        ("run --expect completes\u{A0}within\u{A0}5\u{A0}s curl --version", nil),
        ("matrix -p 3G curl --help", "matrix -p 3G -- curl --help"),
        ("matrix 3G LTE curl --help", "matrix 3G LTE -- curl --help"),
        ("matrix 3G ./no-such-test", "matrix 3G -- ./no-such-test"),
        ("explore 3G curl --version", nil),
        ("matrix --jobs 2 -p 3G -p LTE curl --version", "matrix --jobs 2 -p 3G -p LTE -- curl --version"),
        ("limits --vary loss=0..50% ./no-such-test --help", "limits --vary loss=0..50% -- ./no-such-test --help"),
        ("limits --vary loss=0..50% 3G ./t --version", "limits --vary loss=0..50% 3G -- ./t --version"),
        ("run 3G curl --generate-completion-script bash", nil),
    ])
    func saysWhatToType(line: String, corrected: String?) throws {
        let words = line.split(separator: " ").map { String($0).replacing("\u{A0}", with: " ") }
        let outcome = try Program.start([Program.path] + words)
        #expect(outcome.status == (line.hasPrefix("explore") ? 64 : 125), "\(outcome)")
        #expect(outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("type \"--\" before it\nlinkcond: try: linkcond "), "\(outcome)")
        if let corrected { #expect(outcome.errors.hasSuffix("try: linkcond \(corrected)\n"), "\(outcome)") }
    }

    @Test func quotesForTheShell() throws {
        let command = ["sh", "-c", "echo \"it's $1\"", "", "a b"]
        let outcome = try Program.start([Program.path, "run", "Slow Net"] + command)
        let line = #"linkcond run 'Slow Net' -- sh -c 'echo "it'\''s $1"' '' 'a b'"#
        #expect(outcome.errors.hasSuffix("try: \(line)\n"), "\(outcome)")
    }

    @Test(arguments: [
        "run --help", "run 3G --help", "run --help 3G curl", "run 3G --help -- curl --version", "matrix -p 3G --help",
        "limits --vary loss=0..50% 3G --help", "run 3G --version", "run --version",
    ])
    func answersWhatIsAskedOfThisProgram(line: String) throws {
        let outcome = try Program.start([Program.path] + line.split(separator: " ").map(String.init))
        #expect(outcome.status == 0, "\(outcome)")
        let isVersion = line.hasSuffix("--version") && !line.contains("curl")
        #expect(outcome.output.hasPrefix(isVersion ? "0." : "OVERVIEW: "), "\(outcome)")
    }

    @Test(arguments: [
        ("run Slo-Net --version", "did you mean \"Slow Net\"? If it is the command"),
        ("run 3G curl --version -- x", "and stands before"),
        ("run 3G", "missing a command"), ("run 3G --ofline -- curl", "--offline"),
        ("run 3G --timeout soon curl", "'soon' is not a time"),
    ])
    func saysWhatElseIsWrong(line: String, words: String) throws {
        let outcome = try Program.start([Program.path] + line.split(separator: " ").map(String.init))
        #expect(outcome.status == 125 && outcome.errors.contains(words), "\(outcome)")
    }

    /// Each word may take a parse of all before it.
    @Test func doesNotLookAtEachOfManyWords() throws {
        let words = ["run", "3G", "--nonsense"] + [String](repeating: "x", count: 20_000)
        let outcome = try Program.start([Program.path] + words)
        #expect(outcome.status == 125 && outcome.errors.contains("missing a command"), "\(outcome)")
        #expect(outcome.processorTime < .seconds(20))
    }
}
