// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import TestKit
import Testing

extension LabTests {
    /// The conditions on the loopback of a sandbox.
    @Suite struct SandboxConditions {
        private static let addresses = ["127.0.0.1", "::1"]

        /// Slow Net's 100 ms and 32 kbit/s, each way, for frames of 98 and 118 bytes.
        @Test(arguments: Caller.allCases)
        func slowNetDelaysPing(_ caller: Caller) throws {
            let expected = [("127.0.0.1", 249.0), ("::1", 259.0)]
            try Measurements.settle {
                let outputs = try sideBySide(expected) { address, _ in
                    try caller.check("'Slow Net' --offline -- ping -n -c 8 -i 0.1 \(address)")
                }
                return try zip(expected, outputs).compactMap { expected, output in
                    let (address, time) = expected
                    return try Ping(reading: output).fault(address, time - 3...time + 3)
                }.first
            }
        }

        @Test(arguments: Caller.allCases)
        func blackHoleLetsRequestsThroughAndNoAnswer(_ caller: Caller) throws {
            let trial = try BlackHoleTrial(by: caller)
            #expect(trial.seen == [true, true, true, true])
            #expect(trial.answered == [false, false, false, false])
            #expect(trial.answeredLater == [true, true, true, true])

            let silence = try StatusReport(printed: trial.status)
            #expect(silence.sandbox?.profile == "Black Hole" && silence.sandbox?.uplink == nil)
            let downlink = try #require(silence.lane(.downlink, of: "lo"))
            #expect(downlink.matchedPackets >= 4 && downlink.counters?.droppedPackets == downlink.matchedPackets)
            #expect(silence.lane(.uplink, of: "lo") == nil)
            let later = try StatusReport(printed: trial.laterStatus)
            #expect(later.sandbox?.profile == "figures of the command line")
            #expect(try #require(later.lane(.downlink, of: "lo")?.counters).droppedPackets == 0)
        }

        @Test(arguments: Caller.allCases)
        func directionsDifferAsTheProfileSays(_ caller: Caller) throws {
            let servers = Self.addresses.flatMap { ["tcp/\($0)/0", "tcp/\($0)/8080", "udp/\($0)/5300"] }
            let figures = "--uplink 'delay=100 ms' --downlink 'delay=20 ms'"
            // Directions that differ are carried in userspace: never early, but late while the lab's one processor is
            // busy with something else.
            try Measurements.settle {
                for (server, time) in zip(servers, try Exchange.times(of: servers, by: caller, figures)) {
                    let fault =
                        try Measurements.fault("\(server) request", time.request, in: 99.5...125)
                        ?? Measurements.fault("\(server) answer", time.answer, in: 19.5...45)
                    if let fault { return fault }
                }
                return nil
            }
        }

        /// An ordinary user can bind port 53 only if the host permits it to all users; the sandbox inherits that.
        @Test func slowNetDelaysQueriesToPort53() throws {
            // Ethernet, IP, UDP or TCP with timestamps, and one byte.
            let frames = [("udp/127.0.0.1/53", 43.0), ("tcp/::1/53", 87), ("udp/::1/5300", 63)]
            let run = Caller.user.line("'Slow Net' --offline -- \(Exchange.line(frames.map(\.0)))")
            let open = "echo 53 >/proc/sys/net/ipv4/ip_unprivileged_port_start"
            try Measurements.settle {
                let output = try Shell.check("unshare -n sh -c \(Shell.quoted("\(open); exec \(run)"))")
                for ((server, bytes), time) in zip(frames, try output.decoded(as: [Exchange].self)) {
                    let delay = server.hasSuffix("/53") ? 300.0 : 100
                    // On TCP a delayed acknowledgement of 86 bytes may be queued before it.
                    let range = -5...5 + (server.hasPrefix("tcp") ? 86.0 / 4 : 0)
                    let fault =
                        try Measurements.fault("\(server) request", time.request - delay - bytes / 4, in: range)
                        ?? Measurements.fault("\(server) answer", time.answer - 100 - bytes / 4, in: range)
                    if let fault { return fault }
                }
                return nil
            }
        }

        @Test(arguments: Caller.allCases)
        func selectorsConditionOnlyTheirTraffic(_ caller: Caller) throws {
            let servers = ["tcp/127.0.0.1/7001", "udp/::1/7001", "tcp/127.0.0.1/7002", "udp/::1/7002"]
            try Measurements.settle {
                let times = try Exchange.times(of: servers, by: caller, "'Slow Net' --port 7001")
                for (server, time) in zip(servers, times) {
                    let range = server.hasSuffix("7001") ? 100...Double.infinity : 0...100
                    let fault =
                        try Measurements.fault("\(server) request", time.request, in: range)
                        ?? Measurements.fault("\(server) answer", time.answer, in: range)
                    if let fault { return fault }
                }
                return nil
            }
        }

        @Test(arguments: Caller.allCases)
        func loopbackIsLikeALink(_ caller: Caller) throws {
            let command = "cat /sys/class/net/lo/mtu /proc/sys/net/ipv4/ip_local_port_range"
            #expect(try caller.check("Wi-Fi --offline -- \(command)") == "1500\n49152\t65535\n")
        }

        @Test(arguments: Caller.allCases)
        func whatTheKernelCannotDoIsRefusedBeforeTheCommandBegins(_ caller: Caller) throws {
            let result = try caller.run("Starlink --offline --engine netem -- echo begun")
            #expect(result.status == 125)
            #expect(result.errors.contains("Starlink") && result.errors.contains("schedule"))
            #expect(result.output.isEmpty)
        }

        @Test(arguments: Caller.allCases)
        func whatNetemCannotDoIsDoneInUserspace(_ caller: Caller) throws {
            let result = try caller.run("-v Starlink --offline -- \(Shell.linkcond) status")
            #expect(result.status == 0, "\(result)")
            #expect(result.errors.contains("the userspace engine") && result.errors.contains("schedule"))
            #expect(result.output.contains("lo: Starlink (rule 1, userspace"))
        }

        /// netem would carry this profile, but does not tell what becomes of each packet.
        @Test func expectationsChooseTheUserspaceEngineAndSaySo() throws {
            let plain = try Caller.root.run("'Slow Net' --offline -- \(Shell.linkcond) status")
            #expect(
                plain.output.contains("lo: Slow Net (rule 1, netem") && !plain.errors.contains("engine"),
                "\(plain)"
            )
            let judged = try Caller.root.run(
                "-v 'Slow Net' --offline --expect 'at most 0 connections' -- \(Shell.linkcond) status"
            )
            #expect(judged.status == 0 && judged.output.contains("lo: Slow Net (rule 1, userspace"), "\(judged)")
            #expect(judged.errors.contains("using the userspace engine: expectations and reports need"), "\(judged)")
        }

        /// A test that wants verdicts asks for its packets during the run.
        @Test func observationDuringARunNeedsTheUserspaceEngine() throws {
            let request = "curl -s --unix-socket $LINKCOND_SOCKET -X POST http://linkcond/v1/observation"
            let onNetem = try Caller.root.run("'Slow Net' --offline -- sh -c \(Shell.quoted(request))")
            #expect(onNetem.output.contains("netem carries the packets"), "\(onNetem)")
            #expect(onNetem.output.contains("linkcond run --observe"), "\(onNetem)")
            let free = try Caller.root.run("--offline -- sh -c \(Shell.quoted(request))")
            #expect(free.output.contains("\"since\": ") && free.errors.isEmpty, "\(free)")
        }
    }
}
