// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Sandboxing
@testable import linkcond

/// The progress of a run: on a terminal, and only where it disturbs nothing.
struct RunDisplayTests {
    private static let places = ["title", "line"]

    @Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
    struct OfRuns {
        @Test(
            .enabled(if: PrivateWorld.isAvailable, PrivateWorld.need),
            arguments: [
                "showProgressInTheTitle", "leaveAloneWhoReadsKeys", "showNothing", "showALine",
                "showTheProgressOfEachRun", "showTheTimeLeftOfASearch",
            ]
        )
        func onATerminal(function: String) throws {
            try PrivateWorld.check(.tester, "progress.py", "\(function)()")
        }

        @Test(arguments: places)
        func printsNothingIntoAPipe(place: String) throws {
            let words = ["run", "--offline", "Slow Net", "--expect", "exits with 0", "--progress", place]
            let outcome = try Program.start([Program.path] + words + ["--", "sleep", "1"])
            #expect(outcome.status == 0)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.hasSuffix("linkcond: pass  exits with 0: the command exited with 0\n"))
            #expect(!outcome.errors.contains("lost") && !outcome.errors.contains("\u{1B}"))
        }
    }

    @Test func saysWhatComesNext() {
        var progress = RunProgress(conditions: "in the lift")
        (progress.elapsed, progress.connections, progress.droppedPackets) = (.milliseconds(61_300), 1, 12)
        #expect(progress.words(timeout: nil) == "in the lift, 1 connection, 12 packets lost, 1 min 2 s")
        progress.next = RunProgress.Next(label: "out", trigger: "5 s", rest: .milliseconds(1200))
        #expect(
            progress.words(timeout: .seconds(90))
                == "in the lift, 'out' in 2 s, 1 connection, 12 packets lost, 29 s left"
        )
        for (trigger, words) in [("10 kB", "after 10 kB"), ("mark 'typed'", "at mark 'typed'")] {
            progress.next = RunProgress.Next(label: "out", trigger: trigger)
            #expect(progress.words(timeout: nil).contains("'out' \(words), "))
        }
    }

    @Test func isRefusedForAnInterface() throws {
        let outcome = try Program.start([
            Program.path, "run", "-i", "lo", "Slow Net", "--progress", "line", "--", "true",
        ])
        #expect(outcome.status == 125 && outcome.errors.contains("--progress cannot be combined with -i"))
    }
}
