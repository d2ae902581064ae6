// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// What a command can find out about itself: the same as without `run`.
@Suite(.enabled(if: Kernel.hasSandboxes, "needs namespaces for network and mounts"))
struct RunIdentityTests {
    /// What is asked, and how the process that asks was started.
    struct Question: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let command: String
        var prefix = ""
        var setUp = "true"
        /// What the answer must hold, so that the question is known to have been put.
        var answer = ""
    }

    static let questions = [
        Question(testDescription: "user", command: "id"),
        Question(testDescription: "umask", command: "sh -c umask", setUp: "umask 027", answer: "0027"),
        Question(testDescription: "directory", command: "pwd -P", setUp: "cd /usr/share", answer: "/usr/share\n"),
        Question(
            testDescription: "deleted directory",
            command: "readlink /proc/self/cwd",
            setUp: #"cd "$(mktemp -d)" && rmdir "$PWD""#,
            answer: "(deleted)"
        ),
        Question(testDescription: "limits", command: "cat /proc/self/limits", setUp: "ulimit -n 99", answer: " 99 "),
        Question(testDescription: "niceness", command: "nice", prefix: "nice -n 7", answer: "7\n"),
        Question(
            testDescription: "scheduling",
            command: "grep -h . /proc/self/oom_score_adj /proc/self/timerslack_ns",
            prefix: "choom -n 300 --",
            answer: "300\n"
        ),
        Question(
            testDescription: "processors",
            command: "grep Cpus_allowed_list /proc/self/status",
            prefix: "taskset -c 0",
            answer: "\t0\n"
        ),
        Question(testDescription: "group and session", command: "ps -o pgid=,sid=,tpgid= -p $$"),
        Question(
            testDescription: "rights",
            command: "grep -E '^(Cap(Inh|Prm|Eff|Amb)|Seccomp):' /proc/self/status",
            answer: "CapEff"
        ),
        Question(
            testDescription: "words",
            command: #"/usr/bin/printf '<%s>' 'a  b' $'c\nd' '' $'\xff\xfe' '*' -- --offline -h"#,
            answer: "<a  b><c\nd><>"
        ),
        Question(testDescription: "its own name", command: "sh -c 'echo $0'", answer: "sh\n"),
    ]

    @Test(arguments: Caller.all, questions)
    func findsItself(caller: Caller, question: Question) throws {
        let answers = try Installation(for: caller)
            .compare(question.command, prefix: question.prefix, setUp: question.setUp)
        #expect(answers.plain == answers.wrapped)
        #expect(answers.plain.hasSuffix("status 0\n"))
        #expect(answers.plain.contains(question.answer) || question.answer.isEmpty)
    }

    @Test(arguments: Caller.all)
    func findsItsEnvironmentAndTwoVariablesMore(caller: Caller) throws {
        let answers = try Installation(for: caller).compare(
            "/usr/bin/env",
            prefix: #"""
                env -i PATH="$PATH" EMPTY= 'SPACED=a  b' LINES=$'a\nb' BYTES=$'\xff\xfe' LONG="$long" "${many[@]}"
                """#,
            setUp: "long=$(head -c 120000 /dev/zero | tr '\\0' x); many=(V{1..9999}=value)"
        )
        let socket = "LINKCOND_SOCKET=/proc/fs/nfsd/control\n"
        #expect(answers.wrapped.contains("\n\(socket)"))
        // Not printed where it differs: it is long.
        let wrapped = answers.wrapped.replacing(socket, with: "").replacing(/LINKCOND_CLOCK=-?[0-9]+\n/, with: "")
        let isSame = answers.plain == wrapped
        #expect(isSame)
        #expect(answers.plain.contains("V9999=value\nstatus 0\n"))
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to choose groups"))
    func hasItsGroups() throws {
        let answers = try Installation(for: .tester)
            .compare("sh -c 'id -u; id -g; id -G'", prefix: "setpriv --regid=5 --groups=4,27,100000")
        #expect(answers.plain == "0\n5\n5 4 27 100000\nstatus 0\n")
        #expect(answers.wrapped == answers.plain)
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to run commands for others"))
    func isAnotherUserWhereAskedTo() throws {
        let line = #"id -un; id -ru; id -rg; id -G; grep -E '^Cap(Prm|Eff)' /proc/self/status; echo "$HOME $USER""#
        let outcome = try Program.run("run", "--offline", "--user", "nobody", "--", "sh", "-c", line)
        let rights = "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
        #expect(outcome.output == "nobody\n65534\n65534\n65534\n\(rights)/nonexistent nobody\n", "\(outcome)")
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to run commands for others"))
    func gainsNoPrivilegesUnlessItIsRoot() throws {
        for (caller, options, answer) in [
            (Caller.tester, [], "0\n"), (.tester, ["--user", "nobody"], "1\n"), (.nobody, [], "1\n"),
        ] {
            let command = ["sed", "-n", "s/NoNewPrivs:.//p", "/proc/self/status"]
            let outcome = try Program.start(try Installation(for: caller).wrapping(command, options: options))
            #expect(outcome.output == answer, "\(caller) \(options): \(outcome)")
        }
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to run commands for others"))
    func becomesRootByNoProgram() throws {
        let files = try TemporaryDirectory()
        let copy = "\(files.path)/id"
        try Program.start(["sh", "-c", "cp /usr/bin/id \(copy) && chmod u+s \(copy)"]).requireSuccess()
        #expect(try Program.start(Caller.nobody.words + [copy, "-u"]).output == "0\n")
        #expect(try Program.run("run", "--offline", "--user", "nobody", "--", copy, "-u").output == "65534\n")
    }

    /// The way to root's session bus, agents and settings is not for another user.
    @Test(.enabled(if: Kernel.isRoot, "needs root, to run commands for others"))
    func losesTheCallersSession() throws {
        let variables = [
            "DBUS_SESSION_BUS_ADDRESS=x", "SSH_AGENT_PID=1", "SSH_AUTH_SOCK=/x", "SUDO_COMMAND=x", "SUDO_UID=1000",
            "XDG_CONFIG_HOME=/x", "XDG_RUNTIME_DIR=/run/user/0", "SSH_TTY=kept", "XDGKEPT=kept", "TERM=kept",
        ]
        let command =
            ["env", "-i"] + variables + [Program.path, "run", "--offline", "--user", "nobody", "--", "/usr/bin/env"]
        let outcome = try Program.start(command)
        let names = outcome.lines.compactMap { $0.split(separator: "=").first }
        let kept: Set<Substring> = [
            "SSH_TTY", "XDGKEPT", "TERM", "HOME", "USER", "LOGNAME", "SHELL", "LINKCOND_SOCKET", "LINKCOND_CLOCK",
        ]
        #expect(Set(names) == kept, "\(outcome)")
    }
}
