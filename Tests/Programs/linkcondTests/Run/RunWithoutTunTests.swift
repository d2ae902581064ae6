// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Sandboxes whose packets the pump carries over a veth pair, since /dev/net/tun is missing or not for this user.
@Suite(.enabled(if: Kernel.isRoot && Kernel.hasVethSandboxes, "needs root, namespaces and veth"))
struct RunWithoutTunTests {
    private func run(_ options: String, _ line: String, caller: Caller = .tester) throws -> CommandResult {
        let installation = try Installation(for: caller)
        let hiding = "mount -t tmpfs none /dev/net && cd / && exec \"$@\""
        return try Program.start(
            ["unshare", "-m", "sh", "-c", hiding, "sh"] + caller.words + [
                "/bin/bash", "-c", "exec \"$LINKCOND\" run \(options) -- sh -c \"$LINE\"",
            ],
            variables: ["LINKCOND": installation.path, "LINE": line, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"]
        )
    }

    /// A sandbox without conditions needs no pump.
    @Test(arguments: Caller.all) func saysNothingWithoutConditions(caller: Caller) throws {
        let outcome = try run("--offline", "echo done", caller: caller)
        #expect(outcome.status == 0 && outcome.output == "done\n" && outcome.errors.isEmpty, "\(outcome)")
    }

    private static let note = "note: without /dev/net/tun, packets go through a veth pair"

    /// 100 ms each way, and 98 bytes at 32 kbit/s each way.
    @Test(arguments: Caller.all, ["127.0.0.1", "::1"])
    func slowNetDelaysPing(caller: Caller, address: String) throws {
        let line = "ping -n -c 3 -i 0.2 -w 10 \(address)"
        let outcome = try run("--offline --engine userspace 'Slow Net'", line, caller: caller)
        let times = outcome.lines.compactMap { line in
            line.split(separator: "time=").last.flatMap { Double($0.prefix { $0.isNumber || $0 == "." }) }
        }
        #expect(outcome.status == 0 && times.count >= 3, "\(outcome)")
        #expect(times.prefix(3).allSatisfy { $0 >= 249 && $0 < 1000 }, "\(times)")
        #expect(outcome.errors.contains(Self.note), "\(outcome.errors)")
    }

    @Test func directionsAndSwitchesAreAsWithATapDevice() throws {
        let outcome = try run("--offline --engine userspace", Script("black-hole.py").line())
        #expect(outcome.output == "request\ndatagram\nsilence\nsilence\n", "\(outcome)")
    }

    @Test func statusCountsItsPackets() throws {
        let line = "ping -n -c 3 -i 0.1 127.0.0.1 > /dev/null; \"$LINKCOND\" status"
        let outcome = try run("--offline --engine userspace LTE", line)
        #expect(outcome.output.contains("lo: LTE (rule 1, userspace"), "\(outcome)")
        #expect(outcome.output.contains(/uplink .* 3 +3 +0 +0/) && outcome.output.contains(/downlink .* 3 +3 +0 +0/))
    }

    /// What is expected is judged by the packets; no other machine's is needed for that.
    @Test func judgesAndCaptures() throws {
        let files = try TemporaryDirectory()
        let capture = "\(files.path)/packets.pcapng"
        let expected = "--expect 'completes within 30 s' --expect 'at most 0 connections'"
        let options = "--offline LTE --capture \(capture) \(expected)"
        let outcome = try run(options, "ping -n -c 2 -i 0.1 127.0.0.1 > /dev/null")
        #expect(outcome.status == 0 && !outcome.errors.contains("inconclusive"), "\(outcome)")
        let lines = try Program.run("capture", "-r", capture, "-n", "-t").lines
        #expect(lines.count == 4 && lines.allSatisfy { $0.contains("icmp echo") && $0.contains(" after ") }, "\(lines)")
    }

    @Test func anUplinkIsRefusedWithWhatHelps() throws {
        let outcome = try run("'Slow Net'", "true")
        #expect(outcome.status == 125)
        #expect(outcome.errors.contains("--offline") && outcome.errors.contains("/dev/net/tun"), "\(outcome.errors)")
    }

    @Test func doctorTellsWhatIsLeft() throws {
        let outcome = try Program.start(
            ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /dev/net && exec \"$LINKCOND\" doctor"]
        )
        let line = outcome.lines.first { $0.contains("engine userspace") } ?? ""
        #expect(line.contains("only run --offline, by a veth pair"), "\(outcome.output)")
    }
}
