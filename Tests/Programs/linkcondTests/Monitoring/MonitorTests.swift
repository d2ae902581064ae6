// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Reachability
import TestKit
import Testing

@testable import linkcond

/// The monitor on the command line, in a network of its own with nothing but loopback.
@Suite(.enabled(if: Kernel.hasNamespaces, "needs the right to make namespaces"))
struct MonitorTests {
    /// Runs lines of shell where a TCP server is at port 8080.
    private static func shell(_ lines: String) throws -> CommandResult {
        try Program.isolatedShell(
            """
            ip link set lo up
            sysctl -qw net.ipv4.ping_group_range='0 2147483647'
            \(Script("tcp-server.py").line()) >/dev/null & trap "kill $!" EXIT
            until ss -Hltn 'sport = :8080' | grep -q .; do sleep 0.05; done
            \(lines)
            """
        )
    }

    private static func objects(_ outcome: CommandResult) throws -> [[String: Any]] {
        try outcome.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }

    @Test func endsWithOneWhereATargetIsNotReachable() throws {
        let good = try Self.shell("$LINKCOND monitor --once 127.0.0.1 icmp://[::1] tcp://127.0.0.1:8080 link:lo")
        #expect(good.status == 0, "\(good)")
        #expect(good.lines.count == 5 && good.lines.dropFirst().allSatisfy { $0.contains("reachable") })
        let bad = try Self.shell("$LINKCOND monitor --once tcp://127.0.0.1:8080 tcp://127.0.0.1:9 icmp://192.0.2.1")
        #expect(bad.status == 1)
        #expect(bad.output.contains("unreachable (transport.refused)"))
        #expect(bad.output.contains("unreachable (local.noRoute)"))
    }

    @Test func waitsUntilAllCanBeReached() throws {
        let lines =
            "(sleep 1; exec python3 -c 'import socket, time; s = socket.create_server((\"127.0.0.1\", 81)); time.sleep(999)') & server=$!"
        let came = try Self.shell(
            lines + "\n$LINKCOND monitor --wait 250s tcp://127.0.0.1:81; s=$?; kill $server; exit $s"
        )
        #expect(came.status == 0, "\(came)")
        let never = try Self.shell("$LINKCOND monitor --wait 1s tcp://127.0.0.1:8080 tcp://127.0.0.1:9")
        #expect(never.status == 1)
        #expect(never.errors.contains("not reachable within 1 s"))
        #expect(never.errors.contains("tcp://127.0.0.1:9: unreachable (transport.refused)"))
        #expect(!never.errors.contains("8080"))
    }

    @Test func takesAnchorsFromTheCommandLine() throws {
        let words = ["--anchor", "tcp://192.0.2.1:80", "--anchor", "tcp://192.0.2.2:80"]
        let policy = try MonitorOptions.parse(words).policy
        let anchors: Set = try [
            MonitorOptions.target("tcp://192.0.2.1:80"), MonitorOptions.target("tcp://192.0.2.2:80"),
        ]
        #expect(policy.anchors == anchors)
    }

    @Test func printsAnObjectALine() throws {
        let outcome = try Self.shell(
            "$LINKCOND monitor --json --samples --interval 200ms --for 2s tcp://127.0.0.1:8080"
        )
        #expect(outcome.status == 0)
        let events = try Self.objects(outcome)
        #expect(events.first?["event"] as? String == "initial")
        #expect(events.contains { $0["event"] as? String == "stateChanged" && $0["state"] as? String == "reachable" })
        #expect(events.count { $0["event"] as? String == "sample" } >= 5)
        let times = events.compactMap { $0["time"] as? Double }
        #expect(times.count == events.count && times == times.sorted())
        #expect(abs((times.first ?? 0) - Date().timeIntervalSince1970) < 3600)
    }

    @Test func sumsUpWhenItIsInterrupted() throws {
        let outcome = try Self.shell(
            """
            shown=$(mktemp)
            $LINKCOND monitor tcp://127.0.0.1:8080 >$shown 2>&1 & monitor=$!
            until grep -q reachable $shown; do sleep 0.05; done
            kill -INT $monitor; wait $monitor; echo status $?; cat $shown; rm $shown
            """
        )
        #expect(outcome.output.contains("tcp://127.0.0.1:8080: reachable"))
        #expect(outcome.output.contains("PROBES"))
        #expect(outcome.output.contains("status 0"), "\(outcome)")
    }

    @Test func tellsOfALinkThatGoesAtOnce() throws {
        try Measurements.settle(stillness: 100) { try faultAsALinkGoes() }
    }

    private func faultAsALinkGoes() throws -> String? {
        let outcome = try Self.shell(
            """
            ip link add name d0 type veth peer name d1; ip link set d1 up; ip addr add 10.9.9.1/24 dev d0; ip link set d0 up
            $LINKCOND monitor --json --for 3s link:d0 10.9.9.2 tcp://10.9.9.3:80 & sleep 1.5; date +%s.%N; ip link set d0 down; wait $!
            """
        )
        let lines = outcome.lines
        let down = try #require(lines.firstIndex { !$0.hasPrefix("{") }.flatMap { Double(lines[$0]) })
        let events = try lines.filter { $0.hasPrefix("{") }.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let fall = try #require(
            events.first { $0["target"] as? String == "link:d0" && $0["event"] as? String == "outageStarted" }
        )
        #expect(fall["reason"] as? String == "local.adminDown")
        // Of the kernel's word within milliseconds; the rest is this machine's other work.
        let time = try #require(fall["time"] as? Double) - down
        return time < 1 ? nil : "told after \(time) s"
    }

    @Test func servesMetrics() throws {
        let outcome = try Self.shell(
            """
            $LINKCOND monitor --metrics 127.0.0.1:9115 tcp://127.0.0.1:8080 tcp://127.0.0.1:9 >/dev/null & monitor=$!
            for attempt in $(seq 2000); do
                metrics=$(curl -s http://127.0.0.1:9115/metrics)
                case $metrics in *transport.refused*) break ;; esac
                sleep 0.1
            done
            kill -INT $monitor; wait $monitor; echo "$metrics"
            """
        )
        #expect(outcome.output.contains(#"probe_success{target="tcp://127.0.0.1:8080"} 1.0"#), "\(outcome)")
        #expect(outcome.output.contains(#"probe_success{target="tcp://127.0.0.1:9"} 0.0"#))
        #expect(outcome.output.contains(#"state="unreachable",reason="transport.refused"} 1.0"#))
        #expect(outcome.output.contains("# TYPE probe_success gauge"))
    }

    @Test func drawsATableOnATerminal() throws {
        let outcome = try Self.shell(
            "script -qec \"$LINKCOND monitor --for 2s tcp://127.0.0.1:8080\" /dev/null </dev/null"
        )
        #expect(outcome.output.contains("LAST"))
        #expect(outcome.output.contains("\u{1B}[2A\u{1B}[J"))
    }

    @Test func refusesAListWithGarbageAndSaysWhere() throws {
        let files = try TemporaryDirectory()
        var text = String(repeating: "tcp://127.0.0.1:8080 # one\n", count: 50_000)
        text += "nonsense://x\n" + String(repeating: "\u{1}\u{2}?\n", count: 50_000)
        let file = try files.write("targets", text)
        let outcome = try Program.run("monitor", "--once", "@\(file.path)")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("line 50001: 'nonsense://x' is no target"))
        #expect(outcome.errors.contains("and 49981 more"))
        #expect(outcome.errors.count < 10_000)
        #expect(outcome.output.isEmpty)
    }

    @Test(arguments: [
        "64 tcp://x", "64 x:80", "66 @/nonexistent", "64", "64 --interval 0s x", "64 --once --wait 1s x",
        "64 --samples x",
        "64 --metrics nowhere x", "64 --anchor ? x",
    ])
    func refusesWhatItCannotMean(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try Program.start(Program.namespace + [Program.path, "monitor"] + words.dropFirst())
        #expect(outcome.status == Int32(words[0]), "\(outcome)")
        #expect(!outcome.errors.isEmpty)
    }
}
