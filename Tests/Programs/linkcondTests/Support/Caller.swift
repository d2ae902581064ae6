// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// The user that runs the program.
enum Caller: String, Sendable {
    /// The user that runs the tests.
    case tester
    /// A user without privileges.
    case nobody

    /// All that the tester can be.
    static let all: [Caller] = Kernel.isRoot ? [.tester, .nobody] : [.tester]

    /// What makes a command this caller's.
    var words: [String] {
        self == .tester ? [] : ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    }

    fileprivate func canRun(_ path: String) -> Bool {
        (try? Program.start(words + [path, "--version"]).status) == 0
    }

    /// Whether the program can be run where it was built.
    fileprivate static let reachesProgram = Dictionary(
        uniqueKeysWithValues: all.map { ($0, $0.canRun(Program.path)) }
    )
}

/// The program where a caller can reach it, run as that caller.
struct Installation {
    let caller: Caller
    let path: String
    /// Deleted with the installation.
    private let copy: TemporaryDirectory?

    /// The beginning of a line of shell that wraps a command.
    static let run = #""$LINKCOND" run --offline --"#

    /// Without directories of the tester's that another may not search.
    private static let searchPath = "/usr/bin:/bin:/usr/sbin:/sbin"

    init(for caller: Caller) throws {
        self.caller = caller
        if Caller.reachesProgram[caller] == true {
            (copy, path) = (nil, Program.path)
        } else {
            let directory = try TemporaryDirectory()
            (copy, path) = (directory, "\(directory.path)/linkcond")
            try Program.copy(to: path)
        }
    }

    /// Runs a line of shell; `$LINKCOND` is the program.
    func shell(_ line: String, limit: Int = HangLimit.seconds) throws -> CommandResult {
        try Program.start(
            caller.words + ["/bin/bash", "-c", line],
            variables: ["LINKCOND": path, "PATH": Self.searchPath],
            limit: limit
        )
    }

    /// Runs a command in a sandbox.
    func run(_ command: String...) throws -> CommandResult {
        try run(command)
    }

    func run(_ command: [String]) throws -> CommandResult {
        try Program.start(wrapping(command))
    }

    /// The words that run a command in a sandbox.
    func wrapping(_ command: [String], options: [String] = []) -> [String] {
        ["env", "PATH=\(Self.searchPath)"] + caller.words + [path, "run", "--offline"] + options + ["--"] + command
    }

    /// Runs a command without and with the program around it, and gives what either printed and its status, a
    /// character for each byte. `prefix` starts either, `setUp` comes before both; descriptor 9 is the output where
    /// that closes the standard one.
    func compare(
        _ command: String,
        prefix: String = "",
        setUp: String = "true"
    ) throws -> (plain: String, wrapped: String) {
        let outcome = try shell(
            """
            exec 9>&1
            \(setUp)
            \(prefix) \(command); echo "status $?" >&9
            echo ==== >&9
            \(prefix) \(Self.run) \(command); echo "status $?" >&9
            """
        )
        let text = String(String.UnicodeScalarView(outcome.bytes.map { Unicode.Scalar($0) }))
        let parts = text.components(separatedBy: "====\n")
        guard parts.count == 2 else { throw TestFailure("\(outcome)") }
        return (parts[0], parts[1])
    }
}
