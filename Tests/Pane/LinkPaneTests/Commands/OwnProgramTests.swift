// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinuxSystem
import Synchronization
import Testing

@testable import LinkPane

/// With a shell in place of linkcond, whose words after "-c" are its script.
@Suite struct OwnProgramTests {
    private let shell: OwnProgram

    init() throws { shell = try OwnProgram("/bin/sh") }

    @Test func returnsOutputsAndStatus() throws {
        let outcome = try shell.run(["-c", "echo data; echo 'linkcond: no' >&2; exit 66"])
        #expect(outcome.end == .exited(66))
        #expect(outcome.lines == ["data"])
        #expect(outcome.problem == "no")
    }

    @Test func passesWordsAsTheyAre() throws {
        let words = ["$(id)", "a b", "", "'\"\\", "*", "ü\u{202E}"]
        let outcome = try shell.run(["-c", #"printf '%s\n' "$@""#, "sh"] + words)
        #expect(outcome.lines == words.filter { !$0.isEmpty })
    }

    @Test func hasNoInputAndNoBlockedSignal() throws {
        let outcome = try shell.run(["-c", "cat; grep SigBlk /proc/self/status"])
        #expect(outcome.lines == ["SigBlk:\t0000000000000000"])
    }

    @Test func keepsTheBeginningOfALongOutput() throws {
        let outcome = try shell.run(["-c", "head -c 1000000 /dev/zero | tr '\\0' x; exit 0"])
        #expect(outcome.hasSucceeded)
        #expect(outcome.lines.first?.utf8.count == OwnProgram.maximumOutput)
    }

    @Test func endsACommandThatTakesTooLong() throws {
        let outcome = try shell.run(["-c", "exec sleep 30"], limit: .milliseconds(200))
        #expect(outcome.end == .late(.milliseconds(200)))
    }

    @Test func doesNotWaitForAProcessThatTheCommandLeaves() throws {
        let start = ContinuousClock.now
        let outcome = try shell.run(["-c", "sleep 30 & echo $!"])
        #expect(start.duration(to: .now) < .seconds(10))
        let process = try #require(outcome.lines.first.flatMap { Int32($0) })
        #expect(kill(process, SIGKILL) == 0, "such as a rule's guardian, it goes on")
    }

    @Test func aCommandEndsWithTheThreadThatStartedIt() throws {
        let process = Mutex<Int32>(0)
        let output = try Descriptors.pipe()
        // Also the end of the process, by whatever signal, ends the thread.
        let thread = try PosixThread.start {
            let program = open("/bin/sh", O_RDONLY | O_CLOEXEC)
            let script: [String] = ["sh", "-c", "echo; exec sleep 30"]
            var words: [UnsafeMutablePointer<CChar>?] = script.map { strdup($0) }
            words.append(nil)
            process.withLock { $0 = lc_start_program(program, words, output.write, output.write) }
            for word in words { free(word) }
            close(program)
            close(output.write)
            // The command has asked for its end before it was executed.
            Wait.untilReadable([output.read], limit: .seconds(20))
        }
        thread.join()
        close(output.read)
        let id = process.withLock { $0 }
        #expect(id > 0)
        #expect(ChildStatus.wait(for: id) == .killed(SIGKILL))
    }

    @Test func failsForAFileThatIsNoProgram() throws {
        let outcome = try OwnProgram("/etc/passwd").run(["apply"])
        #expect(outcome.problem == "linkcond cannot be started")
    }
}
