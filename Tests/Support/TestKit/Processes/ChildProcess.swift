// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A child of the tests, started as a shell starts one: no signal is blocked or ignored, and only the given descriptors
/// are open. Foundation's `Process` passes on the signal mask of the thread that starts it, and other descriptors.
package final class ChildProcess {
    package let number: pid_t
    /// How it ended; nil until a wait has returned that.
    private var end: End?
    /// The processor's time that it took, with those of its descendants that were waited for; known once it has ended.
    package private(set) var processorTime = Duration.zero

    /// How a process ended.
    package enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(Int32)
    }

    /// Starts `command` in the network namespace of the calling thread, with `streams` as descriptors 0, 1, 2 and so on.
    package init(
        _ command: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        streams: [Int32]
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (place, descriptor) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(place))
        }
        try Self.closeAll(from: Int32(streams.count), &actions)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // A group of its own: if the tests' group is orphaned, the kernel hangs it up when a member of it is stopped. In
        // the lab the tests' group is the terminal's foreground, and ssh(1) would be stopped in another.
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (Kernel.isLab ? 0 : POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var words = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, command[0], &actions, &attributes, &words, &variables)
        guard code == 0 else { throw TestFailure("\(command[0]): \(String(cString: strerror(code)))") }
        number = process
    }

    deinit {
        guard end == nil else { return }
        kill(number, SIGKILL)
        _ = wait()
    }

    /// `posix_spawn_file_actions_addclosefrom_np` of glibc 2.34, whose declaration Swift does not see (`_GNU_SOURCE`).
    private static func closeAll(from first: Int32, _ actions: inout posix_spawn_file_actions_t) throws {
        typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            throw TestFailure("the tests need glibc 2.34 or later")
        }
        _ = unsafeBitCast(symbol, to: Function.self)(&actions, first)
    }

    /// Waits for the end.
    package func wait() -> End {
        while true {
            if let end = poll(WaitOption.untilItEnds) { return end }
        }
    }

    /// Waits for an end that only a process that hangs does not come to.
    package func waitAWhile() throws -> End {
        guard HangLimit.waits(until: { poll(WaitOption.never) != nil }), let end else {
            throw TestFailure("process \(number) still runs after \(HangLimit.seconds) s")
        }
        return end
    }

    /// Whether it has not ended.
    package var isRunning: Bool { poll(WaitOption.never) == nil }

    private enum WaitOption {
        static let untilItEnds: Int32 = 0
        static let never = WNOHANG
    }

    private func poll(_ option: Int32) -> End? {
        if let end { return end }
        var word: Int32 = 0
        var usage = rusage()
        guard wait4(number, &word, option, &usage) == number else { return nil }
        processorTime = Duration(usage)
        end = word & 0x7F == 0 ? .exited(word >> 8 & 0xFF) : .killed(word & 0x7F)
        return end
    }
}
