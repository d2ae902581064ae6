// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// A client with the rights of the command cannot buy a verdict.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct UnearnedVerdictTests {
    private func run(_ client: String, _ options: String, in files: TemporaryDirectory) throws -> CommandResult {
        let command = Script("unearned-verdicts.py").line([client])
        return try Program.shell(#"cd \#(files.path) && exec "$LINKCOND" run --offline \#(options) -- \#(command)"#)
    }

    /// On Slow Net, a round trip takes 200 ms at least.
    @Test func findsNoWayToCommandItsPump() throws {
        let result = try run("commands", "'Slow Net' --expect 'first byte within 150 ms'", in: try TemporaryDirectory())
        #expect(result.output.isEmpty, "\(result)")
        #expect(result.status == 1 && result.errors.contains("FAIL  first byte within 150 ms"), "\(result)")
    }

    /// Whoever may open another process's files finds the capture there, but not its digest.
    @Test func isNotJudgedByACaptureThatItCut() throws {
        let files = try TemporaryDirectory()
        let result = try run("cuts", "--uplink delay=5ms --report report --expect 'at most 1 connection'", in: files)
        let verdict = try #require(result.errors.firstMatch(of: #/(\w+) +at most 1 connection: /#)?.1)
        #expect(verdict == "FAIL" || verdict == "inconclusive", "\(result)")
        #expect(verdict == "FAIL" || result.errors.contains("something else has changed the file"), "\(result)")
    }

    /// As of `--capture`, which must have its name from the start: it may be a pipe's.
    @Test func isNotJudgedByANamedCaptureThatItCut() throws {
        let files = try TemporaryDirectory()
        let options = "--uplink delay=5ms --capture report/packets.pcapng --expect 'at most 3 connections'"
        try Program.start(["mkdir", "\(files.path)/report"]).requireSuccess()
        let result = try run("cuts", options, in: files)
        #expect(result.errors.contains("inconclusive  at most 3 connections: "), "\(result)")
        #expect(result.errors.contains("something else has changed the file"), "\(result)")
    }

    @Test func isJudgedUnderTheConditionsThatItSet() throws {
        let expectation = "--expect 'first byte within 1 s'"
        let result = try run("switches", "'Slow Net' \(expectation)", in: try TemporaryDirectory())
        let words =
            #/pass +first byte within 1 s: .*; python3[\w.]* \(\d+\) set the conditions to nothing wrong after /#
        #expect(result.status == 0 && result.errors.contains(words), "\(result)")
    }

    /// The packets of a run have their name only with its report.
    @Test(arguments: ["$run", "$(cat supervisor)"])
    func keepsThePacketsOfAKilledRunUnderAnotherName(victim: String) throws {
        let files = try TemporaryDirectory()
        let line = """
            cd \(files.path)
            "$LINKCOND" run --offline 'Slow Net' --report report -- \
            sh -c 'ping -q -i 0.02 -c 40 127.0.0.1; echo $PPID >supervisor; touch pinged; exec sleep 1000' >/dev/null & run=$!
            until [ -e pinged ]; do sleep 0.05; done; ls report; kill -KILL \(victim); wait $run
            until [ -e report/packets.partial.pcapng ]; do sleep 0.05; done
            ls report; "$LINKCOND" capture -r report/packets.partial.pcapng -n | wc -l
            """
        let result = try Program.shell(line)
        #expect(result.lines.dropLast() == ["packets.partial.pcapng"], "\(result)")
        #expect((result.lines.last.flatMap { Int($0) } ?? 0) > 20, "\(result)")
    }
}
