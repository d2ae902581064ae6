// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// Verdicts while the time of day is set.
    @Suite struct Clock {
        /// A client that sets the time of day, marks the moment, and begins three connections.
        private static func client(_ step: String, judge: String = "") -> String {
            """
            import os, socket, subprocess, time
            server = socket.create_server(("127.0.0.1", 8099))
            subprocess.run(["date", "-s", "\(step)"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([os.environ["LINKCOND"], "mark", "typing"], check=True)
            for _ in range(3): socket.create_connection(("127.0.0.1", 8099)).close()
            \(judge)
            """
        }

        private static func run(_ step: String, judge: String = "", _ expectations: [String]) throws -> CommandResult {
            let files = try TemporaryDirectory()
            try client(step, judge: judge).write(toFile: "\(files.path)/client.py", atomically: true, encoding: .utf8)
            let expect = expectations.map { "--expect \(Shell.quoted($0))" }.joined(separator: " ")
            return try settingTheTime(
                """
                cd \(files.path) && LINKCOND=\(Shell.linkcond) \(Shell.linkcond) run --offline --uplink delay=5ms \
                  --report report \(expect) -- python3 client.py
                """
            )
        }

        /// Runs commands that set the time of day, and sets it right afterwards.
        private static func settingTheTime(_ commands: String) throws -> CommandResult {
            let before = Date()
            let start = ContinuousClock.now
            defer {
                let now = before.timeIntervalSince1970 + (start.duration(to: .now) / .seconds(1))
                _ = try? Shell.run("date -s @\(Int(now))")
            }
            return try Shell.run(commands)
        }

        /// The packets that measure a link are dated by it.
        @Test(.enabled(if: Kernel.isLab, "sets the time of day: lab only"))
        func endTheMeasurementOfALink() throws {
            // More than once: between its phases it measures nothing.
            let result = try Self.settingTheTime(
                """
                (for _ in 1 2 3 4 5 6 7 8; do sleep 1; date -s '+1 hour'; done) >/dev/null &
                \(Shell.linkcond) verify DSL --budget 20s
                status=$?
                wait
                exit $status
                """
            )
            #expect(result.status == 70 && result.output.isEmpty, "\(result)")
            #expect(result.errors.contains("the time of day was set during the measurement"), "\(result)")
        }

        @Test(.enabled(if: Kernel.isLab, "sets the time of day: lab only"), arguments: ["+1 hour", "-2 hours"])
        func moveNothingThatWasSeen(step: String) throws {
            let result = try Self.run(
                step,
                ["at most 2 connections during 'typing'", "at most 3 connections", "completes within 60 s"]
            )
            #expect(result.errors.contains("FAIL  at most 2 connections during 'typing': 3 connections"), "\(result)")
            #expect(result.errors.contains("pass  at most 3 connections: 3 connections"), "\(result)")
            #expect(result.errors.contains("pass  completes within 60 s"), "\(result)")
            let note =
                step.hasPrefix("-")
                ? "note: the time of day was set back by" : "note: the time of day was set forward by"
            #expect(result.errors.contains(note), "\(result)")
        }

        /// `linkcond judge` is another process, which asks the clock after it was set.
        @Test(.enabled(if: Kernel.isLab, "sets the time of day: lab only"), arguments: ["+1 hour", "-2 hours"])
        func moveNoTimeOfAJudge(step: String) throws {
            let judge = """
                moment = time.time_ns()
                for _ in range(2): socket.create_connection(("127.0.0.1", 8099)).close()
                time.sleep(0.5)
                done = subprocess.run([os.environ["LINKCOND"], "judge", "--since-time", str(moment), "at most 1 connection"])
                print("judged", done.returncode, flush=True)
                """
            let result = try Self.run(step, judge: judge, ["at most 9 connections"])
            #expect(
                result.output.contains("judged 1") && result.output.contains("at most 1 connection: 2 connections"),
                "\(result)"
            )
        }
    }
}
