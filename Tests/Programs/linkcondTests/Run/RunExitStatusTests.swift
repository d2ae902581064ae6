// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The exit status of `run`: the command's, or its own if the command did not run.
@Suite(.enabled(if: Kernel.hasSandboxes, "needs namespaces for network and mounts"))
struct RunExitStatusTests {
    @Test(arguments: Caller.all, [0, 1, 77, 124, 255])
    func endsWithTheCommandsStatus(caller: Caller, status: Int32) throws {
        let outcome = try Installation(for: caller).run("sh", "-c", "exit \(status)")
        #expect(outcome.status == status)
        #expect(outcome.errors.isEmpty)
    }

    @Test(arguments: Caller.all, [SIGSEGV, SIGTERM, SIGKILL, SIGINT, SIGPIPE, SIGUSR1, SIGABRT, SIGHUP])
    func diesOfTheSignalThatTheCommandDiedOf(caller: Caller, signal: Int32) throws {
        let outcome = try Installation(for: caller).run("sh", "-c", "kill -\(signal) $$")
        #expect(outcome.end == .killed(signal))
        #expect(outcome.errors.isEmpty)
    }

    @Test(arguments: [
        ["--to", "10.0.0.0/8"], ["--port", "22"], ["--exclude", "port 22"], ["--seed", "1"], ["--before-foreign"],
        ["-i", "lo"], ["Slow Net", "-i", "lo", "--offline"], ["Slow Net", "-i", "lo", "--host-port", "1"],
        ["Slow Net", "-i", "lo", "--log", "/dev/null"],
    ])
    func refusesOptionsThatWouldMeanNothing(options: [String]) throws {
        let outcome = try Program.start([Program.path, "run"] + options + ["--", "true"])
        #expect(outcome.status == 125)
        #expect(
            outcome.errors.contains("profile") || outcome.errors.contains("cannot be combined with -i"),
            "\(outcome.errors)"
        )
    }

    @Test(arguments: Caller.all)
    func isResetFromInside(caller: Caller) throws {
        let installation = try Installation(for: caller)
        let outcome = try installation.run(installation.path, "reset")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("this sandbox has no conditions"))
    }

    /// proc(5) shows the clock of a timer. CLOCK_BOOTTIME, 7, goes on while the machine is suspended.
    @Test(.enabled(if: Kernel.isRoot, "needs root, to look into the supervisor"))
    func countsTimeInSuspendTowardsTheLimit() throws {
        let command = ["sh", "-c", "sleep 1; cat /proc/$PPID/fdinfo/* 2>/dev/null; true"]
        let outcome = try Program.start(Installation(for: .tester).wrapping(command, options: ["--timeout", "999s"]))
        let timer = #/clockid: 7\nticks: 0\nsettime flags: 01\nit_value: \([6-9][0-9][0-9], /#
        #expect(outcome.output.contains(timer), "\(outcome)")
    }

    @Test(arguments: Caller.all)
    func endsACommandThatTakesTooLong(caller: Caller) throws {
        let installation = try Installation(for: caller)
        let start = ContinuousClock.now
        let outcome = try Program.start(installation.wrapping(["sleep", "1000"], options: ["--timeout", "200ms"]))
        #expect(outcome.status == 124)
        #expect(ContinuousClock.now - start > .milliseconds(200))
    }

    @Test func killsACommandThatTakesTooLongAndWillNotEnd() throws {
        let start = ContinuousClock.now
        let command = ["sh", "-c", "trap '' TERM; sleep 1000"]
        let options = ["--timeout", "100ms"]
        let outcome = try Program.start(try Installation(for: .tester).wrapping(command, options: options))
        #expect(outcome.status == 124)
        #expect(ContinuousClock.now - start > .seconds(5))
    }

    @Test func givesACommandThatTakesTooLongTimeToTidyUp() throws {
        let command = ["sh", "-c", "trap 'echo tidy; exit 0' TERM; sleep 1000 & wait"]
        // Long enough to set the trap before.
        let options = ["--timeout", "3s"]
        let outcome = try Program.start(try Installation(for: .tester).wrapping(command, options: options))
        #expect(outcome.status == 124)
        #expect(outcome.output == "tidy\n")
    }

    @Test(arguments: [
        ("", "missing a command"), ("--", "missing a command"), ("-- ''", "the command is empty"),
        ("--nonsense -- true", "--nonsense"), ("--timeout -- true", "--timeout"),
        ("--timeout soon --offline -- true", "'soon' is not a time"),
        ("--timeout 0 --offline -- true", "'0' is not a time"),
        ("'No Such Profile' --offline -- true", "No Such Profile"),
        ("/no/such.json --offline -- true", "/no/such.json"),
        ("--downlink rate=fast --offline -- true", "fast"), ("-i lo -- true", "-i needs a profile"),
        ("'Slow Net' -i nosuch0 -- true", Kernel.isRoot ? "nosuch0" : "CAP_NET_ADMIN"),
        ("'Slow Net' -i lo --offline -- true", "--offline"),
        ("--engine best --offline -- true", "best"),
        ("--log /no/such/file --offline -- true", "/no/such/file"),
    ])
    func failsBeforeTheCommand(arguments: String, words: String) throws {
        let outcome = try Installation(for: .tester).shell(#""$LINKCOND" run \#(arguments)"#)
        #expect(outcome.status == 125, "\(outcome)")
        #expect(outcome.errors.contains(words), "\(outcome)")
        #expect(outcome.output.isEmpty)
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to run commands for others"))
    func missesAUser() throws {
        let outcome = try Program.run("run", "--user", "nosuchuser", "--offline", "--", "true")
        #expect(outcome.status == 125)
        #expect(outcome.errors.contains("nosuchuser"))
        let nobody = try Installation(for: .nobody).shell(#""$LINKCOND" run --user root --offline -- true"#)
        #expect(nobody.status == 125)
        #expect(nobody.errors.contains("--user needs root"))
    }

    @Test(.enabled(if: !Kernel.hasNetem, "needs a kernel without netem"), arguments: Caller.all)
    func failsWhereTheKernelCannotCarryTheProfile(caller: Caller) throws {
        let installation = try Installation(for: caller)
        let outcome = try Program.start(
            installation.wrapping(["echo", "begun"], options: ["Slow Net", "--engine", "netem"])
        )
        #expect(outcome.status == 125)
        #expect(outcome.errors.contains("this kernel has no netem"))
        #expect(outcome.output.isEmpty)
    }

    @Test(arguments: Caller.all, ["/etc/passwd", "/etc"])
    func tellsWhatCannotBeExecuted(caller: Caller, path: String) throws {
        let outcome = try Installation(for: caller).run(path)
        #expect(outcome.status == 126)
        #expect(outcome.errors == "linkcond: cannot run \(path): Permission denied\n")
    }

    @Test(arguments: Caller.all, ["no-such-command", "/no/such/command"])
    func tellsWhatIsNotFound(caller: Caller, name: String) throws {
        let outcome = try Installation(for: caller).run(name, "argument")
        #expect(outcome.status == 127)
        #expect(outcome.errors == "linkcond: cannot run \(name): No such file or directory\n")
    }
}
