// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// The monitor inside a sandbox, on links whose conditions are known.
    @Suite struct Monitoring {
        /// A line of `linkcond monitor --json`.
        private struct Line: Decodable {
            struct Conditions: Decodable {
                let profile: String
            }

            let event: String
            let time: Double
            let target: String?
            let state: String?
            let reason: String?
            let explained: Bool?
            let conditions: Conditions?
            let via: String?
            let medianMs: Double?
        }

        /// What a script printed: the monitor's events, and the times of its own steps.
        private struct MonitorOutput {
            let lines: [Line]
            let moments: [String: Double]

            init(_ output: String) throws {
                var (lines, moments): ([Line], [String: Double]) = ([], [:])
                for text in output.split(separator: "\n") {
                    if text.hasPrefix("{") {
                        lines.append(try JSONDecoder().decode(Line.self, from: Data(text.utf8)))
                    } else if let split = text.firstIndex(of: " ") {
                        moments[String(text[..<split])] = Double(text[text.index(after: split)...])
                    }
                }
                (self.lines, self.moments) = (lines, moments)
            }

            /// The first change of a target to one of the states after a step, and the time since that step; nil for none.
            func change(of target: String, to states: String..., after moment: String) throws -> (Line, delay: Double)?
            {
                let begin = try #require(moments[moment])
                let line = lines.first {
                    $0.event == "stateChanged" && $0.target == target && states.contains($0.state ?? "")
                        && $0.time > begin
                }
                return line.map { ($0, $0.time - begin) }
            }
        }

        private static let targets = ["127.0.0.1", "icmp://[::1]", "tcp://127.0.0.1:8080"]

        /// With the usual policy: three silences of a second each, two seconds apart at most.
        @Test func seesSwitchesWithTheirStatesAndTimes() throws {
            func step(_ profile: String, _ seconds: Int) -> String {
                let name = profile.split(separator: " ").joined()
                return "date +'\(name) %s.%N'; \(Shell.linkcond) switch '\(profile)' 2>/dev/null; sleep \(seconds)"
            }
            let script = """
                \(Script("tcp-server.py").line()) &
                until (echo >/dev/tcp/127.0.0.1/8080) 2>/dev/null; do sleep 0.2; done
                \(Shell.linkcond) monitor --json --for 30s \(Self.targets.joined(separator: " ")) & sleep 6
                \(step("Black Hole", 8)); \(step("Slow Net", 4)); \(step("Nasty Net", 7)); wait %2
                """
            try Measurements.settle(stillness: 50) {
                // Not all at the same moment: the lab has one processor.
                let results = try sideBySide(Array(zip(Caller.allCases, ["sleep 0", "sleep 1"]))) { caller, pause in
                    try caller.run("'Slow Net' --offline -- bash -c \(Shell.quoted("\(pause)\n\(script)"))")
                }
                return try results.compactMap { try fault(MonitorOutput($0.output)) }.first
            }
        }

        /// What came too late, or not before the next step; nil for nothing.
        private func fault(_ output: MonitorOutput) throws -> String? {
            for target in Self.targets {
                guard let (silence, until) = try output.change(of: target, to: "unreachable", after: "BlackHole"),
                    until <= 3 * 2 + 1
                else { return "\(target) is not unreachable in time: \(output)" }
                #expect(silence.reason == "path.blackHole" && silence.explained == true, "\(target)")
                #expect(silence.conditions?.profile == "Black Hole")
                // Three probes at once queue for 32 kbit/s, and a target above 270 ms is degraded.
                guard let (back, delay) = try output.change(of: target, to: "reachable", "degraded", after: "SlowNet"),
                    delay <= 2
                else { return "\(target) is not reachable in time: \(output)" }
                #expect(back.conditions?.profile == "Slow Net")
                guard let (nasty, _) = try output.change(of: target, to: "unreachable", after: "NastyNet") else {
                    return "\(target) is not unreachable in the end: \(output)"
                }
                #expect(nasty.explained == true && nasty.conditions?.profile == "Nasty Net")
            }
            // Nothing else was an outage.
            let falls = output.lines.filter { $0.event == "outageStarted" && $0.conditions?.profile == "Slow Net" }
            if !falls.isEmpty { return "\(falls)" }
            let medians = output.lines.filter { $0.conditions?.profile == "Slow Net" }.compactMap(\.medianMs)
            return try medians.compactMap { try Measurements.fault("median", $0, in: 232...320) }.first
        }

        @Test func runReportsEventsAfterTheCommandsOutput() throws {
            let script =
                "echo begin; sleep 4; \(Shell.linkcond) switch 'Black Hole' 2>/dev/null; sleep 5; echo end; exit 3"
            try Measurements.settle(stillness: 50) {
                let results = try sideBySide(Caller.allCases) { caller in
                    try caller.run("3G --offline --monitor 127.0.0.1 -- bash -c \(Shell.quoted(script))")
                }
                for result in results {
                    #expect(result.status == 3)
                    #expect(result.output == "begin\nend\n")
                    #expect(result.errors.contains("TARGET"))
                    // Three probes of a second each.
                    let event = #"127.0.0.1: unreachable (path.blackHole), explained by "Black Hole""#
                    guard result.errors.contains(event) else { return "no verdict in 5 s: \(result)" }
                }
                return nil
            }
        }

        /// A program of the host terminates the connections, and tells what it has met.
        @Test(arguments: Caller.allCases)
        func reportsWhatTheUplinkShows(_ caller: Caller) throws {
            let outside = try Outside()
            let targets = "tcp://\(Outside.address.v4):80 tcp://\(Outside.address.v4):81"
            let figures = "--uplink 'delay=1 ms' --downlink 'delay=1 ms'"
            let command = "\(Shell.linkcond) monitor --json --once \(targets)"
            try Measurements.settle(stillness: 10) {
                let result = try outside.run("\(figures) -- \(command)", as: caller)
                let output = try MonitorOutput(result.output)
                let last = { (port: String) in output.lines.last { $0.target?.hasSuffix(port) == true } }
                let refused = try #require(last(":81"))
                #expect(refused.state == "unreachable" && refused.via == "uplink")
                // An answer that comes too late for a probe is the machine's.
                guard last(":80")?.state == "reachable", last(":80")?.via == "uplink",
                    refused.reason == "transport.refused"
                else { return "\(result)" }
                return nil
            }
        }
    }
}
