// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

/// Each helper is started by a child with a single thread, in a process of its own.
@Suite struct HelperProcessTests {
    private struct Ends: DescriptorHolder {
        let kept: OpenDescriptor
        let missing: OpenDescriptor?
        /// No descriptor, although it is a number.
        let count: Int32
    }

    /// Runs `body` in a child, which it must end with `_exit(0)`.
    private static func expectSuccess(
        _ body: () throws -> Never,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let end = try ForkedTrial.end {
            do { try body() } catch { _exit(99) }
        }
        #expect(end == .exited(0), sourceLocation: sourceLocation)
    }

    /// The first of the numbered `conditions` that does not hold ends the process with its number, from 1 on.
    private static func exit(unless conditions: Bool...) -> Never {
        _exit(conditions.firstIndex(of: false).map { CInt($0) + 1 } ?? 0)
    }

    @Test func aHolderHasThoseOfItsProperties() {
        let ends = Ends(kept: OpenDescriptor(7), missing: nil, count: 3)
        #expect(ends.descriptors == [7])
        let both = Ends(kept: OpenDescriptor(7), missing: OpenDescriptor(8), count: 3)
        #expect(both.descriptors == [7, 8])
    }

    @Test func keepsWhatItsHoldersHaveAndClosesTheRest() async {
        await #expect(processExitsWith: .success) {
            try Self.expectSuccess {
                let (closed, kept) = try Descriptors.pipe()
                let holder = Ends(kept: OpenDescriptor(kept), missing: nil, count: closed)
                let helper = try HelperProcess.start("lc-test", keeping: [holder]) {
                    let isOpen = { (descriptor: CInt) in fcntl(descriptor, F_GETFD) >= 0 }
                    Self.exit(
                        unless: isOpen(kept),
                        !isOpen(closed),
                        FileIdentity(descriptor: STDOUT_FILENO) == FileIdentity("/dev/null"),
                        ProcFile("/proc/self/comm").firstLine == "lc-test",
                        getsid(0) != getpid()
                    )
                }
                Self.exit(unless: helper.reap() == .exited(0), helper.reap() == nil)
            }
        }
    }

    @Test func signalsAreResetOrInherited() async {
        await #expect(processExitsWith: .success) {
            try Self.expectSuccess {
                for number in [SIGPIPE, SIGHUP] { signal(number, SIG_IGN) }
                signal(SIGUSR1, SIG_DFL)
                // The threads of a test have all blocked.
                SignalSet.unblockAll()
                SignalSet(SIGTERM).block()
                func disposition(_ helper: HelperProcess.Signals, _ number: CInt) throws -> ChildStatus? {
                    try HelperProcess.start(nil, keeping: [], signals: helper, hasOwnSession: true) {
                        raise(number)
                        _exit(getsid(0) == getpid() ? 0 : 1)
                    }.reap()
                }
                Self.exit(
                    unless: try disposition(.reset(), SIGPIPE) == .killed(SIGPIPE),
                    try disposition(.reset(ignoring: [SIGPIPE]), SIGPIPE) == .exited(0),
                    try disposition(.reset(), SIGTERM) == .killed(SIGTERM),
                    try disposition(.reset(), SIGHUP) == .exited(0),
                    try disposition(.inherited(), SIGPIPE) == .exited(0),
                    try disposition(.inherited(), SIGTERM) == .exited(0),
                    try disposition(.inherited(), SIGUSR1) == .killed(SIGUSR1),
                    try disposition(.inherited(ignoring: [SIGUSR1]), SIGUSR1) == .exited(0)
                )
            }
        }
    }

    @Test func isKilledAndReaped() async {
        await #expect(processExitsWith: .success) {
            try Self.expectSuccess {
                let children = try SignalQueue([SIGCHLD])
                let helper = try HelperProcess.start(nil, keeping: [], signals: .reset(ignoring: [SIGTERM])) {
                    while true { pause() }
                }
                kill(helper.id, SIGTERM)
                let isRunning = !ChildStatus.wait(for: helper.id, limit: .milliseconds(50), children)
                helper.end()
                let isGone = kill(helper.id, 0) < 0 && errno == ESRCH
                let brief = try HelperProcess.start(nil, keeping: []) { _exit(0) }
                let start = BootClock.now
                let hasEnded = ChildStatus.wait(for: brief.id, limit: .seconds(30), children)
                Self.exit(unless: isRunning, isGone, hasEnded, BootClock.now - start < .seconds(20))
            }
        }
    }
}
