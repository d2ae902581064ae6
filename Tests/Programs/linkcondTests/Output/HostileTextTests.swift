// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Text from elsewhere that would control a terminal, printed by the program.
@Suite struct HostileTextTests {
    /// A title, a colour, C1's CSI, delete, an override and an isolate of the text's direction, marks, a line of its
    /// own.
    private static let hostile =
        "a\u{1B}]0;owned\u{7}\u{1B}[31m\u{9B}2J\u{7F}\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}\r\nlinkcond: fine\u{8}"

    /// The scalars of an output that control a terminal, except the ends of lines.
    private static func controls(_ outcome: CommandResult) -> [Unicode.Scalar] {
        // Invalid UTF-8 would be replaced here; as bytes it must not be there at all.
        guard String(validating: outcome.bytes, as: UTF8.self) != nil else { return ["\u{FFFD}"] }
        return (outcome.output + outcome.errors).unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .lineSeparator, .paragraphSeparator: true
            default: scalar.properties.isBidiControl
            }
        }
    }

    private static func expectHarmless(_ outcome: CommandResult, _ what: String) {
        #expect(controls(outcome).isEmpty, "\(what): \(outcome)")
        #expect(!(outcome.output + outcome.errors).isEmpty, "\(what) printed nothing")
        let lines = (outcome.output + "\n" + outcome.errors).split(separator: "\n")
        #expect(!lines.contains { $0.starts(with: /(linkcond: )+fine/) }, "\(what): \(outcome)")
    }

    @Test(arguments: [
        ["show", hostile], ["show", "\(hostile)/x"], ["show", "\(hostile).json"], ["validate", hostile], [hostile],
        ["help", hostile], ["list", "--\(hostile)"], ["list", "--profile-path", hostile, hostile],
        ["apply", "Slow Net", "-i", hostile], ["apply", hostile, "-i", "lo"], ["apply", "Slow Net", "-i\(hostile)"],
        ["apply", "Slow Net", "-i", "lo", "--to", hostile], ["apply", "Slow Net", "-i", "lo", "--exclude", hostile],
        ["apply", "Slow Net", "-i", "lo", "--port", hostile], ["apply", "Slow Net", "-i", "lo", "--protocol", hostile],
        ["apply", "Slow Net", "-i", "lo", "--for", hostile], ["apply", "Slow Net", "-i", "lo", "--engine", hostile],
        ["apply", "Slow Net", "-i", "lo", "--downlink", hostile],
        ["apply", "Slow Net", "-i", "lo", "--dns=\(hostile)"],
        ["status", "--netns", hostile], ["status", "--pid", hostile], ["status", "-i", hostile],
        ["reset", "-i", hostile],
        ["confirm", "-i", hostile], ["monitor", "@\(hostile)"], ["monitor", "--once", hostile],
        ["monitor", "--once", "unix:/\(hostile)"], ["monitor", "--metrics", hostile, "link:lo"],
        ["run", "--offline", "--", hostile], ["run", hostile, "--", "true"], ["run", "--user", hostile, "--", "true"],
        ["run", "--offline", "--log", "/nonexistent/\(hostile)", "Slow Net", "--", "true"],
        ["run", "--host-port", hostile, "--", "true"], ["run", "3G", hostile, "--version"], ["run", "\(hostile)'"],
        ["matrix", "-p", "3G", "true", "\(hostile)'"], ["list", hostile], ["new", hostile, "--from", "3G"],
        ["new", "Mine", "--from", hostile], ["edit", hostile], ["remove", hostile], ["import", hostile],
        ["import", "-", "--from", hostile], ["export", hostile, "--to", "pumba"], ["export", "3G", "--to", hostile],
    ])
    func printsNoArgumentThatControlsATerminal(arguments: [String]) throws {
        let outcome = try Program.start(Program.namespace + [Program.path] + arguments)
        Self.expectHarmless(outcome, arguments.joined(separator: " "))
        #expect(outcome.status != 0)
    }

    @Test(arguments: [#"$'a\x9b2J\xff\xfe'"#, #"$'\xe2\x80'"#])
    func printsNoInvalidUTF8(word: String) throws {
        for command in [
            "show \(word)", "apply 'Slow Net' -i \(word)", "\(word)", "validate \(word)", "monitor @\(word)",
        ] {
            Self.expectHarmless(try Program.shell("\"$LINKCOND\" \(command)"), command)
        }
    }

    @Test func printsNoNameOfAFileThatControlsATerminal() throws {
        let directory = try TemporaryDirectory()
        let name = Self.hostile.replacing("/", with: "")
        try directory.write("\(name).json", #"{"name": "Mine", "downlink": {"delay": "1 ms"}}"#)
        try directory.write("bad\(name).json", #"{"name": "Bad", "downlink": {"delay": "x"}}"#)
        try directory.write("key.json", #"{"name": "Key", "\u001b[31m\u202e": 1}"#)
        try Program.shell("printf x > '\(directory.path)/'$'\\x9b2J\\xff.json'").requireSuccess()
        for arguments in [
            ["list"], ["list", "--json"], ["show", "mine"], ["show", "mine", "--json"], ["show", "bad"],
        ] {
            let command = arguments + ["--profile-path", directory.path]
            Self.expectHarmless(try Program.start([Program.path] + command), "\(arguments)")
        }
        let all = try Program.shell("cd '\(directory.path)' && \"$LINKCOND\" validate ./*")
        Self.expectHarmless(all, "validate")
        let shown = try Program.run("show", "mine", "--profile-path", directory.path)
        #expect(
            shown.output.contains(
                #"a\u001b]0;owned\u0007\u001b[31m\u009b2J\u007f\u202e\u2066\u200f\u061c\u2028\u000d\u000a"#
            )
        )
    }

    @Test(.enabled(if: Kernel.isRoot && Kernel.canPump, "needs root and /dev/net/tun"))
    func printsNoAliasOrInterfaceThatControlsATerminal() throws {
        let directory = try TemporaryDirectory()
        let interface = "e\u{1B}[31m\u{9B}m"
        let outcome = try Program.start(
            Program.namespace + [
                "/bin/bash", "-c",
                """
                export LINKCOND_STATE_DIR=$1/journal
                ip link set lo up; ip link add name "$2" type veth peer name p0; ip link set "$2" up; ip link set p0 up
                $LINKCOND apply "Slow Net" -i "$2" --engine userspace
                for n in $(ip -o link | grep -o 'lc[0-9]*r1[a-z]'); do
                    ip link set dev $n alias "linkcond $2 uplink rule 1 at=1 uid=0 pid=1 hook=made profile=$3"
                done
                rm -rf $1/journal
                echo ==; $LINKCOND status; $LINKCOND status --json; $LINKCOND status --pid $$
                $LINKCOND monitor --once "link:$2"; $LINKCOND off; $LINKCOND on; $LINKCOND reset
                """, "bash", directory.path, interface, Self.hostile,
            ]
        )
        Self.expectHarmless(outcome, "aliases")
        #expect(outcome.output.contains(#"e\u001b[31m\u009bm: a\u001b]0;owned\u0007"#), "\(outcome)")
    }

    @Test func quotesNoMoreOfALongArgumentThanItsBeginning() throws {
        let long = String(repeating: "x", count: 100_000)
        for arguments in [
            ["show", long], ["apply", "Slow Net", "-i", long], [long], ["list", "--\(long)"],
            ["status", "--netns", long],
            ["monitor", "--once", "@\(long)"], ["apply", "Slow Net", "-i", "lo", "--to", long], ["show", "/\(long)"],
            ["validate", long],
        ] {
            let outcome = try Program.start(Program.namespace + [Program.path] + arguments)
            // What would take the square of the length takes minutes.
            #expect(outcome.processorTime < .seconds(20), "\(arguments[0])")
            #expect((64...77).contains(outcome.status ?? 0), "\(outcome)")
            #expect(outcome.errors.utf8.count < 3000, "\(arguments[0])")
            #expect(outcome.errors.contains("... (100"), "\(outcome)")
        }
    }
}
