// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// What `monitor --metrics` serves, and to whom.
@Suite(.enabled(if: Kernel.hasNamespaces, "needs the right to make namespaces"))
struct MetricsTests {
    /// Runs a function of metrics-client.py beside a monitor.
    private static func talk(_ function: String) throws -> CommandResult {
        try Program.isolatedShell(
            """
            ip link set lo up
            $LINKCOND monitor --metrics 127.0.0.1:9115 --interval 10ms tcp://127.0.0.1:9 >/dev/null & pid=$!
            trap "kill $pid" EXIT
            until ss -Hltn 'sport = :9115' | grep -q .; do sleep 0.05; done
            sleep 0.5
            \(Script("metrics-client.py").line()) \(function) $pid
            """
        )
    }

    @Test func answersOnceAConnectionHoweverOftenItIsAsked() throws {
        let outcome = try Self.talk("pipelined")
        #expect(outcome.lines.contains("answers 1"), "\(outcome)")
        let growth = outcome.output.firstMatch(of: /grew (-?\d+) MB/).flatMap { Int($0.1) }
        #expect(try #require(growth) < 10, "\(outcome)")
    }

    @Test func endsConnectionsThatAreTooManyOrIdle() throws {
        #expect(try Self.talk("crowd").lines == ["open 16", "idle ended", "answers 1"])
    }

    @Test func makesItsTextOnceASecondAtMost() throws {
        #expect(try Self.talk("cached").lines == ["few texts True", "renewed True"])
    }

    /// In a sandbox, the sandbox's lanes.
    @Test(.enabled(if: Kernel.hasSandboxes, "needs user and network namespaces"))
    func servesTheLanesOfASandbox() throws {
        let client = """
            ping -c 2 -i 0.2 127.0.0.1 >/dev/null
            $LINKCOND monitor --metrics unix:metrics link:lo >/dev/null & pid=$!
            until curl -s --unix-socket metrics http://localhost/metrics; do sleep 0.05; done
            kill $pid
            """
        let directory = try TemporaryDirectory()
        let command = [Program.path, "run", "--offline", "3g", "--", "/bin/sh", "-c", client]
        let outcome = try Program.start(command, directory: directory.path)
        let labels = #"interface="lo",rule="1""#
        for line in [
            #"linkcond_rule_info{\#(labels),profile="3G",engine="userspace"} 1.0"#,
            #"linkcond_lane_packets_total{\#(labels),lane="uplink"} 2.0"#,
            #"linkcond_lane_bytes_total{\#(labels),lane="downlink"} 196.0"#,
            #"linkcond_lane_dropped_packets_total{\#(labels),lane="uplink"} 0.0"#,
            #"linkcond_lane_rate_bits_per_second{\#(labels),lane="downlink"} 780000.0"#,
            "# TYPE linkcond_lane_held_packets gauge",
        ] { #expect(outcome.lines.contains { $0 == line }, "\(outcome)") }
    }

    /// A page of another host, whose name now leads to this machine, reads nothing (DNS rebinding).
    @Test func answersOnlyToNamesOfThisMachine() throws {
        let outcome = try Program.isolatedShell(
            """
            ip link set lo up
            ip address add 10.9.9.9/32 dev lo
            for place in 127.0.0.1 10.9.9.9; do
                $LINKCOND monitor --metrics $place:9115 link:lo >/dev/null & pid=$!
                until ss -Hltn 'sport = :9115' | grep -q .; do sleep 0.05; done
                for host in 127.0.0.1:9115 localhost '[::1]:9115' evil.test evil.test:9115; do
                    printf '%s ' $(curl -s -o /dev/null -w '%{http_code}' -H "Host: $host" http://$place:9115/metrics)
                done
                echo
                kill $pid
                wait $pid
            done
            """
        )
        #expect(outcome.lines == ["200 200 200 403 403 ", "200 200 200 200 200 "], "\(outcome)")
    }

    @Test func removesItsOwnSocketAndNoOther() throws {
        let directory = try TemporaryDirectory()
        let outcome = try Program.isolatedShell(
            """
            cd \(directory.path)
            serves() { curl -s -m 1 -o /dev/null --unix-socket $1 http://localhost/metrics; }
            serve() {
                $LINKCOND monitor --metrics unix:$1 link:lo >/dev/null & pid=$!
                until serves $1 || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
                kill -INT $pid 2>/dev/null; wait $pid; echo $1 $?
            }
            python3 -c 'import socket, time; s = socket.socket(socket.AF_UNIX); s.bind("foreign"); s.listen(1); time.sleep(999)' & foreign=$!
            until test -S foreign; do sleep 0.05; done
            serve foreign; test -S foreign && echo kept
            python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("stale")'
            serve stale; test -e stale || echo gone
            $LINKCOND monitor --metrics unix:killed link:lo >/dev/null & pid=$!
            until test -S killed; do sleep 0.05; done
            kill -KILL $pid; wait $pid 2>/dev/null
            serve killed; test -e killed || echo gone
            echo text >file; serve file; cat file
            ln -s file link; serve link; test -L link && cat file
            kill $foreign
            """
        )
        #expect(
            outcome.lines == [
                "foreign 75", "kept", "stale 0", "gone", "killed 0", "gone", "file 69", "text", "link 69", "text",
            ],
            "\(outcome)"
        )
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root"))
    func leavesTheOldSocketOfAnotherUser() throws {
        let directory = try TemporaryDirectory()
        let outcome = try Program.isolatedShell(
            """
            cd \(directory.path)
            python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("old")'; chown 65534 old
            timeout 200 $LINKCOND monitor --metrics unix:old link:lo >/dev/null; echo $?; test -S old && echo kept
            """
        )
        #expect(outcome.lines == ["77", "kept"], "\(outcome)")
        #expect(outcome.errors.contains("the socket belongs to uid 65534"))
    }
}
