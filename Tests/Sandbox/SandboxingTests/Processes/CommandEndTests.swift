// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Glibc
import LinuxSystem
import Testing

@testable import Sandboxing

@Suite struct CommandEndTests {
    @Test func givesTheStatusThatTimeoutAndEnvGive() {
        #expect(CommandEnd.exited(0).exitStatus == 0)
        #expect(CommandEnd.exited(77).exitStatus == 77)
        #expect(CommandEnd.killed(SIGSEGV).exitStatus == 139)
        #expect(CommandEnd.timedOut.exitStatus == 124)
        #expect(CommandEnd.notStarted(EACCES).exitStatus == 126)
        #expect(CommandEnd.notStarted(ENOEXEC).exitStatus == 126)
        #expect(CommandEnd.notStarted(ENOENT).exitStatus == 127)
        #expect(CommandEnd.notStarted(ENOTDIR).exitStatus == 127)
    }

    /// The statuses of wait(2), as the kernel encodes them (kernel/exit.c).
    @Test(
        arguments: [
            (0x0000, .exited(0)), (0x4D00, .exited(77)), (0xFF00, .exited(255)), (0x000B, .killed(SIGSEGV)),
            (0x008B, .killed(SIGSEGV)), (0x0009, .killed(SIGKILL)), (0x147F, .stopped(SIGTSTP)),
            (0x137F, .stopped(SIGSTOP)),
        ] as [(CInt, ChildStatus)]
    )
    func readsTheKernelsWords(word: CInt, status: ChildStatus) {
        #expect(ChildStatus(word: word) == status)
    }

    @Test func takesAStopForNoEnd() {
        #expect(CommandEnd(.stopped(SIGSTOP)) == nil)
        #expect(CommandEnd(.exited(3)) == .exited(3))
        #expect(CommandEnd(.killed(SIGINT)) == .killed(SIGINT))
    }
}
