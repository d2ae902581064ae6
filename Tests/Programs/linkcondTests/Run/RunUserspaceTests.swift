// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Conditions that the pump carries, on this machine's kernel. Times are checked only against orders of magnitude and
/// lower bounds.
@Suite(.enabled(if: Kernel.canPump && Kernel.isRoot, "needs root, and /dev/net/tun"))
struct RunUserspaceTests {
    /// Runs a line of shell in a sandbox, as a caller who may use /dev/net/tun.
    private func run(
        _ options: String,
        _ line: String,
        caller: Caller = .tester,
        directory: String = "/",
        limit: Int = HangLimit.seconds
    ) throws -> CommandResult {
        let installation = try Installation(for: caller)
        // A node of one's own: on some machines only root may use the machine's.
        let node = """
            mount -t tmpfs none /mnt && mknod -m 0666 /mnt/tun c 10 200 && mount --bind /mnt/tun /dev/net/tun && \
            cd \(directory) && exec "$@"
            """
        return try Program.start(
            ["unshare", "-m", "sh", "-c", node, "sh"] + caller.words + [
                "/bin/bash", "-c", "exec \"$LINKCOND\" run --engine userspace --offline \(options) -- sh -c \"$LINE\"",
            ],
            variables: ["LINKCOND": installation.path, "LINE": line, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
            limit: limit
        )
    }

    /// 100 ms each way, and 98 bytes at 32 kbit/s each way.
    @Test(arguments: Caller.all, ["127.0.0.1", "::1"])
    func slowNetDelaysPing(caller: Caller, address: String) throws {
        let outcome = try run("'Slow Net'", "ping -n -c 3 -i 0.2 -w 10 \(address)", caller: caller)
        let times = outcome.lines.compactMap { line in
            line.split(separator: "time=").last.flatMap { Double($0.prefix { $0.isNumber || $0 == "." }) }
        }
        #expect(outcome.status == 0 && outcome.lines.count { $0.contains("time=") } == 3, "\(outcome)")
        #expect(times.prefix(3).allSatisfy { $0 >= 249 && $0 < 1000 }, "\(times)")
    }

    /// Exactly by flows: neither the parity of a port nor who bound first misleads.
    @Test(arguments: Caller.all)
    func blackHoleSwallowsAnswersOnly(caller: Caller) throws {
        let outcome = try run("", Script("black-hole.py").line(), caller: caller)
        #expect(outcome.output == "request\ndatagram\nsilence\nsilence\n", "\(outcome)")
    }

    @Test func tellsWhatItDoes() throws {
        let outcome = try run("LTE", "ping -n -c 3 -i 0.1 127.0.0.1 > /dev/null; \"$LINKCOND\" status")
        #expect(outcome.output.contains("lo: LTE (rule 1, userspace"), "\(outcome)")
        #expect(outcome.output.contains(/uplink .* 3 +3 +0 +0/) && outcome.output.contains(/downlink .* 3 +3 +0 +0/))
    }

    @Test func logsEveryPacketsFate() throws {
        let files = try TemporaryDirectory()
        let log = "\(files.path)/packets.tsv"
        let outcome = try run("--uplink 'loss=100 %' --log \(log)", "ping -n -c 4 -i 0.1 -W 1 127.0.0.1")
        #expect(outcome.status == 1, "\(outcome)")
        let lines = try files.read("packets.tsv").split(separator: "\n")
        #expect(lines.first?.hasPrefix("arrival\tdue\tdeparture\tbytes\tdevice\tlane\tfate\treason") == true)
        #expect(lines.count { $0.contains("\t98\tlo\tuplink\tdropped\t") } == 4, "\(lines)")
        #expect(lines.last == "# lost 0 lines of lo")
    }

    /// The same seed and the same packets have the same fates.
    @Test func repeatsWhatASeedBegan() throws {
        func fates(_ seed: Int) throws -> [String] {
            let files = try TemporaryDirectory()
            let options = "--uplink 'loss=50 %' --seed \(seed) --log \(files.path)/packets.tsv"
            _ = try run(options, "ping -n -c 40 -i 0.01 -W 1 127.0.0.1")
            let lines = try files.read("packets.tsv").split(separator: "\n")
            return lines.filter { $0.contains("\tuplink\t") }.map { String($0.split(separator: "\t")[6]) }
        }
        let first = try fates(7)
        // Of 40, fewer than 3 or all but 2 in one of 10^9 runs; the same by another seed in one of 10^12.
        #expect(first.count == 40 && (3...37).contains(first.count { $0 == "passed" }))
        #expect(try fates(7) == first)
        #expect(try fates(8) != first)
    }

    /// netem has neither.
    @Test func followsSchedulesAndRecordings() throws {
        let files = try TemporaryDirectory()
        _ = try files.write("steady.down", (1...10).map { "\($0)\n" }.joined())
        let profile = """
            {"name": "Both", "downlink": {"trace": {"file": "steady.down", "format": "mahimahi"}},
             "uplink": {"delay": "5 ms"},
             "schedule": {"steps": [{"at": "0 s", "uplink": {"delay": "40 ms"}}], "repeat": "1 s"}}
            """
        let path = try files.write("both.json", profile).path
        let outcome = try run(path, "ping -n -c 3 -i 0.1 127.0.0.1 | tail -1")
        #expect(outcome.status == 0, "\(outcome)")
        let minimum = outcome.output.split(separator: "= ").last?.split(separator: "/").first.flatMap { Double($0) }
        #expect(try #require(minimum) >= 40, "\(outcome.output)")
    }

    @Test func saysThatItsProcessIsGone() throws {
        let outcome = try run(
            "LTE",
            "kill -9 $(pgrep -P $PPID -x lc-pump); sleep 0.5; ping -c 1 -W 1 127.0.0.1; exit 7"
        )
        #expect(outcome.status == 7)
        #expect(outcome.errors.contains("lc-pump, which carries the conditions, ended before the command did"))
        // No answer, rather than an unconditioned network.
        #expect(outcome.output.contains("0 received"), "\(outcome)")
    }

    /// A process that is stopped carries no packets and does not end. It is asked every 4 s, and given 2 s for an answer,
    /// three times.
    @Test func saysThatItsProcessWasStopped() throws {
        let line = """
            pump=$(pgrep -P $PPID -x lc-pump); kill -STOP $pump
            for i in $(seq 2000); do test -e /proc/$pump || break; sleep 0.1; done; test ! -e /proc/$pump
            """
        let outcome = try run("LTE", line)
        #expect(outcome.status == 0, "\(outcome)")
        let note = "lc-pump, which carries the conditions and did not answer any more, ended before the command did"
        #expect(outcome.errors.contains(note), "\(outcome)")
    }

    /// 8 s are less than three questions take.
    @Test func goesOnAfterItsProcessWasStoppedForAWhile() throws {
        let line = """
            pump=$(pgrep -P $PPID -x lc-pump); kill -STOP $pump; sleep 8; kill -CONT $pump; sleep 9
            ping -n -c 1 -w 60 127.0.0.1
            """
        let outcome = try run("LTE", line)
        let note = "linkcond: note: lc-pump, which carries the conditions, was stopped while the command ran\n"
        #expect(outcome.status == 0 && outcome.errors == note, "\(outcome)")
    }

    @Test(arguments: ["supervisor", "launcher"])
    func endsWithItsSandbox(victim: String) throws {
        let who = victim == "supervisor" ? "$PPID" : "$(ps -o ppid= -p $PPID)"
        let outcome = try run("LTE", "pgrep -P $PPID -x lc-pump; kill -9 \(who); sleep 5")
        let pump = try #require(outcome.lines.first.flatMap { pid_t($0) })
        #expect(HangLimit.waits { kill(pump, 0) != 0 })
    }
}
