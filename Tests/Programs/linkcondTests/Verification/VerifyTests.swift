// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import linkcond

/// `linkcond verify`: links of this machine, measured.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct VerifyTests {
    private static let link = #"""
        {"name": "Link", "uplink": {"delay": "20 ms", "rate": "2 Mbit/s", "queue": "100 ms"}, "downlink": {"delay": "40 ms"},
        "dns": {"delay": "80 ms"}}
        """#

    /// What `--json` prints.
    private struct Report: Decodable {
        struct Figure: Decodable {
            let figure: String
            let measured: Double
            let verdict: String
        }

        struct Part: Decodable {
            let lane: String
            let packets: String
            let figures: [Figure]
        }

        let verdict: String
        let engine: String?
        let overUplink: Bool?
        let parts: [Part]

        init(_ result: CommandResult) throws {
            do {
                self = try JSONDecoder().decode(Report.self, from: Data(result.bytes))
            } catch {
                throw TestFailure("\(result.end): \(result.errors)\(result.output)")
            }
        }

        var wrong: [String] {
            parts.flatMap { part in
                part.figures.filter { $0.verdict == "fail" }
                    .map { "\(part.lane) \(part.packets) \($0.figure) \($0.measured)" }
            }
        }
    }

    /// Beside other tests a figure may be inconclusive; one that is wrong is measured again, beside the yardstick.
    @Test(arguments: Caller.all) func measuresARightLink(caller: Caller) throws {
        let installation = try Installation(for: caller)
        let files = try TemporaryDirectory()
        try files.write("link.json", Self.link)
        let options = "--engine userspace --budget 30s --json"
        let hasUplink = try installation.shell("[ -r /dev/net/tun ] && [ -w /dev/net/tun ]").status == 0
        let transfers = ["uplink TCP, one transfer", "uplink TCP, one transfer, IPv6"]
        try Measurements.settle {
            let result = try installation.shell(#""$LINKCOND" verify \#(files.path)/link.json \#(options)"#)
            let report = try Report(result)
            let parts = report.parts.map { "\($0.lane) \($0.packets)" }.sorted()
            let expected = [
                "dns DNS", "downlink UDP", "downlink UDP, IPv6", "uplink TCP", "uplink UDP", "uplink UDP, IPv6",
                "uplink UDP, filled",
            ]
            #expect(parts == (expected + (hasUplink ? transfers : [])).sorted())
            #expect(result.errors.contains("nothing is measured over an uplink") != hasUplink)
            guard report.wrong.isEmpty else { return "\(report.wrong)" }
            #expect(result.status == 0 && report.engine == "userspace", "\(result)")
            let delay = report.parts.first { $0.lane == "downlink" && $0.packets == "UDP" }?.figures.first?.measured
            return try Measurements.fault("delay", delay ?? 0, in: 39.9...60)
        }
    }

    /// The same figures, by the gateway: rates, delays, losses and marks, over IPv4 and IPv6.
    @Test(arguments: Caller.all) func measuresARightUplink(caller: Caller) throws {
        let installation = try Installation(for: caller)
        let files = try TemporaryDirectory()
        // More is under way on the uplink than a TCP without window scaling has.
        try files.write(
            "link.json",
            #"""
            {"name": "Link", "uplink": {"delay": "40 ms", "rate": "20 Mbit/s", "queue": "100 ms"},
            "downlink": {"delay": "40 ms", "loss": "4 %", "ecn": true}, "dns": {"delay": "80 ms"}}
            """#
        )
        let options = "--engine userspace --budget 40s --over-uplink --json"
        // Where users have no such device, this one gets one.
        let device = "mount -t tmpfs none /dev/net && mknod -m 666 /dev/net/tun c 10 200"
        let own = Kernel.isRoot ? ["unshare", "--mount", "sh", "-c", "\(device) && exec \"$@\"", "sh"] : []
        try Measurements.settle {
            let verify =
                [installation.path, "verify", "\(files.path)/link.json"]
                + options.split(separator: " ").map(String.init)
            let result = try Program.start(own + caller.words + verify)
            let report = try Report(result)
            let figures = report.parts.flatMap { part in
                part.figures.map { "\(part.lane) \(part.packets) \($0.figure)" }
            }
            for figure in [
                "downlink UDP delay p50", "downlink UDP marked", "dns DNS delay p50", "uplink UDP, filled rate",
                "uplink TCP, one transfer goodput", "downlink TCP, one transfer, IPv6 goodput",
                "downlink UDP, super-packets losses", "downlink UDP, IPv6 losses",
            ] {
                #expect(figures.contains(figure), "\(figures)")
            }
            // Too little twice, by more than the machine's noise: no quieter time would help.
            if let slow = report.wrong.first(where: { $0.contains("goodput") }) { throw TestFailure(slow) }
            guard report.wrong.isEmpty else { return "\(report.wrong)" }
            #expect(result.status == 0 && report.overUplink == true, "\(result)")
            return nil
        }
    }

    /// The networks of this user namespace are enough for a sandbox, and too few for one with an uplink.
    @Test(.enabled(if: Kernel.isRoot, "needs root, for a namespace with a limit of networks"))
    func measuresTheRestWhereThereCanBeNoUplink() throws {
        let limit = "echo 3 >/proc/sys/user/max_net_namespaces && exec \"$@\""
        let verify = [Program.path, "verify", "DSL", "--engine", "userspace", "--budget", "10s", "--json"]
        let result = try Program.start(
            ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", limit, "sh"] + verify
        )
        let parts = try Report(result).parts.map(\.packets)
        #expect(parts.contains("UDP") && !parts.contains { $0.contains("transfer") }, "\(result)")
        #expect(result.errors.contains("nothing more is measured over an uplink: "), "\(result.errors)")
    }

    /// Inside of a network that has other conditions than those that are asked about.
    @Test func failsTheLinkThatIsThereIfItIsAnother() throws {
        let files = try TemporaryDirectory()
        try files.write("right.json", Self.link)
        try files.write("wrong.json", Self.link.replacing("40 ms", with: "80 ms"))
        let result = try Program.start(
            [
                Program.path, "run", "--offline", "\(files.path)/wrong.json", "--", Program.path, "verify",
                "\(files.path)/right.json", "--here", "--budget", "10s", "--json",
            ]
        )
        #expect(result.status == 1)
        let wrong = try Report(result).wrong
        #expect(wrong.contains { $0.hasPrefix("downlink UDP delay p50 8") }, "\(wrong)")
        #expect(!wrong.contains { $0.hasPrefix("uplink UDP") }, "\(wrong)")
    }

    @Test(arguments: [
        (["verify"], 64, "missing a profile"),
        (["verify", "No Such Link"], 66, "No Such Link"),
        (["verify", "DSL", "--budget", "soon"], 64, "'soon' is not a time"),
        (["verify", "DSL", "--here", "--engine", "userspace"], 64, "--here measures the link that is there"),
        (["verify", "DSL", "--over-uplink", "--here"], 64, "--over-uplink makes a link of its own"),
        (["verify", "UDP Blocked"], 64, "has no figures of a link"),
    ])
    func refusesWhatItCannotMeasure(arguments: [String], status: Int32, words: String) throws {
        let result = try Program.start([Program.path] + arguments)
        #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        #expect(result.bytes.isEmpty)
    }

    /// The conditions are in effect for a moment before they are measured from their start on.
    @Test func saysNothingOfStepsBeforeItMeasures() throws {
        let files = try TemporaryDirectory()
        let steps = #"{"steps": [{"at": "1 s", "downlink": {"delay": "40 ms"}}]}"#
        try files.write("link.json", #"{"name": "Link", "downlink": {"delay": "20 ms"}, "schedule": \#(steps)}"#)
        let result = try Program.start(
            [Program.path, "verify", "\(files.path)/link.json", "--engine", "userspace", "--budget", "10s", "--json"]
        )
        #expect(!(try Report(result).parts.isEmpty) && !result.errors.contains("never met a packet"), "\(result)")
    }

    /// A measurement that is ended leaves nothing. Else it would go on for longer than a test may.
    @Test func endsWithASignal() throws {
        let verify = [Program.path, "verify", "DSL", "--engine", "userspace", "--budget", "1000s"]
        let result = try Program.start(["timeout", "--signal=INT", "3"] + verify)
        #expect(result.status == 124 && result.bytes.isEmpty)
    }
}
