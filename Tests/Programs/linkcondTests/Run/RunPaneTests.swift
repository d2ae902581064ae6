// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// A pane beside a run.
@Suite(.enabled(if: Kernel.canPump && Kernel.hasSandboxes, "needs namespaces and /dev/net/tun"))
struct RunPaneTests {
    private static let note = "the pane is at http://127.0.0.1:"

    /// The processes whose command line has these words.
    private static func panes(of run: pid_t) -> [pid_t] {
        let children = (try? String(contentsOfFile: "/proc/\(run)/task/\(run)/children", encoding: .utf8)) ?? ""
        return children.split(separator: " ").compactMap { pid_t($0) }.filter { process in
            let line = (try? Data(contentsOf: URL(filePath: "/proc/\(process)/cmdline"))) ?? Data()
            return line.split(separator: 0).contains(Data("pane".utf8))
        }
    }

    @Test func printsItsAddressBeforeTheCommandStarts() throws {
        let files = try TemporaryDirectory()
        let command = ["sh", "-c", "exec 2>&1; echo started; exit 7"]
        let words = try Installation(for: .tester).wrapping(command, options: ["3G", "--pane"])
        let outcome = try Program.start(["sh", "-c", #""$@" 2>&1"#, "sh"] + words, directory: files.path)
        let lines = outcome.output.split(separator: "\n")
        let note = lines.firstIndex { $0.contains(Self.note) }
        let start = lines.firstIndex { $0 == "started" }
        #expect(note != nil && start != nil && (note ?? 0) < (start ?? 0), "\(outcome.output)")
        #expect(outcome.status == 7)
    }

    @Test func endsWithTheRun() throws {
        let command = try RunningCommand(
            program: Installation(for: .tester).wrapping(["sh", "-c", "echo ready; read word"], options: ["--pane"])
        )
        #expect(try command.line() == "ready")
        let pane = try #require(Self.panes(of: command.number).first)
        command.send(SIGTERM)
        #expect(try command.end() == .killed(SIGTERM))
        #expect(kill(pane, 0) != 0)
    }

    @Test func leavesTheRunAloneWhereItIsKilled() throws {
        let command = try RunningCommand(
            program: Installation(for: .tester)
                .wrapping(["sh", "-c", "echo ready; sleep 2; exit 3"], options: ["--pane"])
        )
        #expect(try command.line() == "ready")
        let pane = try #require(Self.panes(of: command.number).first)
        kill(pane, SIGKILL)
        #expect(try command.end() == .exited(3))
    }

    @Test func isLeftByNoKilledRun() throws {
        let command = try RunningCommand(
            program: Installation(for: .tester).wrapping(["sh", "-c", "echo ready; read word"], options: ["--pane"])
        )
        #expect(try command.line() == "ready")
        let pane = try #require(Self.panes(of: command.number).first)
        command.send(SIGKILL)
        _ = try command.end()
        #expect(HangLimit.waits { !FileManager.default.fileExists(atPath: "/proc/\(pane)/exe") })
    }

    @Test(arguments: [
        (["--repeat", "2"], "--pane shows one run"), (["-i", "lo", "3G"], "--pane cannot be combined with -i lo"),
        (["--pid", "1", "-i", "x", "3G"], "--pane cannot be combined with"),
    ])
    func isRefusedWhereItMakesNoSense(options: [String], reason: String) throws {
        let outcome = try Program.start([Program.path, "run", "--pane"] + options + ["--", "true"])
        #expect(outcome.status == 125, "\(outcome.errors)")
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    }
}
