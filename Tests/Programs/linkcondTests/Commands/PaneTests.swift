// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// `linkcond pane`, whose page and safety have tests of their own: LinkPaneTests, scripts/check/pane-attacks.
@Suite(.enabled(if: Kernel.hasNamespaces, "needs the right to make namespaces"))
struct PaneTests {
    /// Starts a pane, sets $address and $pid, and runs `body`.
    private static func shell(_ options: String, _ body: String) throws -> CommandResult {
        let directory = try TemporaryDirectory()
        return try Program.isolatedShell(
            """
            ip link set lo up
            cd \(directory.path)
            begin() {
                $LINKCOND pane "$@" >out 2>errors & pid=$!
                until grep -q 'Ctrl-C' out; do kill -0 $pid || { cat errors; exit 9; }; sleep 0.05; done
                address=$(grep -o 'http://[^;]*' out)
            }
            fetch() { curl -s -b jar -c jar "$@"; }
            begin \(options)
            trap 'kill $pid 2>/dev/null' EXIT
            \(body)
            """
        )
    }

    @Test(arguments: ["INT", "TERM", "HUP"])
    func servesItsPageUntilItIsInterrupted(signal: String) throws {
        let outcome = try Self.shell(
            "--port 4711",
            """
            grep -c 'the pane is at http://127.0.0.1:4711/?code=.*; Ctrl-C ends it, and leaves the conditions as they are' out
            fetch -o /dev/null -w '%{http_code}\\n' "$address"
            fetch http://127.0.0.1:4711/ | head -n 1
            fetch http://127.0.0.1:4711/v1/pane | grep -o '"place": "[a-z]*"'
            fetch 'http://127.0.0.1:4711/v1/live?after=0' | grep -o '"number":1'
            kill -\(signal) $pid; wait $pid; echo $?
            ss -Hltn | wc -l
            """
        )
        #expect(
            outcome.lines == [
                "1", "303", "<!DOCTYPE html>", #""place": "host""#, #""number":1"#, "0", "0",
            ],
            "\(outcome)"
        )
    }

    @Test func listensOnTheLoopbackInterfaceOnly() throws {
        let outcome = try Self.shell(
            "--port 4711",
            """
            ip link add veth1 type veth peer name veth2; ip address add 10.9.9.9/24 dev veth1; ip link set veth1 up
            ss -Hltn | awk '{print $4}' | sort
            curl -s -m 5 http://10.9.9.9:4711/; echo $?
            """
        )
        #expect(outcome.lines == ["127.0.0.1:4711", "[::1]:4711", "7"], "\(outcome)")
    }

    @Test func saysThatThePortIsTaken() throws {
        let outcome = try Self.shell("--port 4711", "$LINKCOND pane --port 4711; echo $?")
        #expect(outcome.lines == ["69"], "\(outcome)")
        #expect(outcome.errors.contains("port 4711") && outcome.errors.contains("without --port"), "\(outcome)")
    }

    @Test func leavesNothingWhenItIsKilled() throws {
        let outcome = try Self.shell(
            "--port 4711",
            "kill -KILL $pid; wait $pid 2>/dev/null; ss -Hltn; begin --port 4711; echo again; ls"
        )
        #expect(outcome.lines == ["again", "errors", "out"], "\(outcome)")
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root"))
    func startsNoBrowserAsRoot() throws {
        let outcome = try Self.shell(
            "",
            """
            BROWSER='touch started;' timeout -s INT 2 $LINKCOND pane --open
            test -e started || echo none
            """
        )
        #expect(outcome.lines.last == "none" && outcome.errors.contains("root starts no browser"), "\(outcome)")
    }

    @Test func givesScriptsAToken() throws {
        let outcome = try Self.shell(
            "--token-file token",
            """
            base=${address%%/?code*}
            stat -c %a token
            curl -s -H "Authorization: Bearer $(cat token)" $base/v1/pane | grep -o '"place": "[a-z]*"'
            kill -INT $pid; wait $pid; ls token 2>&1 | grep -c 'No such'
            """
        )
        #expect(outcome.lines == ["600", #""place": "host""#, "1"], "\(outcome)")
    }

    @Test func saysThatThereIsNoReport() throws {
        let result = try Program.start([Program.path, "pane", "--report", "/proc/none"])
        #expect(result.status == 66 && result.errors.contains("there is no report"), "\(result)")
    }

    @Test(arguments: [
        (["--port", "0"], "--port is a number from 1 to 65535"), (["--port", "65536"], "65536"),
        (["--report", ".", "--socket", "x"], "--report and --socket exclude each other"),
    ])
    func refusesWhatItCannotServe(options: [String], words: String) throws {
        let result = try Program.start([Program.path, "pane"] + options)
        #expect(result.status == 64 && result.errors.contains(words), "\(result)")
    }
}
