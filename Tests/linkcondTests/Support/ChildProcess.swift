// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A child of the tests, started as a shell starts one. What Foundation starts holds back the signals which the thread
/// does where that happens, and has descriptors of others.
final class ChildProcess {
    let number: pid_t
    /// How it ended; nil as long as nobody has waited for that.
    private var end: End?

    /// How a process ended.
    enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(Int32)
    }

    init(_ command: [String], environment: [String: String], streams: [Int32]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (place, descriptor) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(place))
        }
        // Those that are not open are none to fail at.
        for descriptor in Int32(streams.count)..<1024 { posix_spawn_file_actions_addclose(&actions, descriptor) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var words = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, command[0], &actions, &attributes, &words, &variables)
        guard code == 0 else { throw Unexpected("\(command[0]): \(String(cString: strerror(code)))") }
        number = process
    }

    deinit {
        guard end == nil else { return }
        kill(number, SIGKILL)
        _ = wait()
    }

    /// Waits for the end.
    func wait() -> End {
        while true {
            if let end = poll(WaitOption.untilItEnds) { return end }
        }
    }

    /// Waits ten seconds at most.
    func waitAWhile() throws -> End {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            if let end = poll(WaitOption.never) { return end }
            usleep(1000)
        }
        throw Unexpected("process \(number) goes on after ten seconds")
    }

    /// Whether it has not ended.
    var isRunning: Bool { poll(WaitOption.never) == nil }

    private enum WaitOption {
        static let untilItEnds: Int32 = 0
        static let never = WNOHANG
    }

    private func poll(_ option: Int32) -> End? {
        if let end { return end }
        var word: Int32 = 0
        guard waitpid(number, &word, option) == number else { return nil }
        end = word & 0x7F == 0 ? .exited(word >> 8 & 0xFF) : .killed(word & 0x7F)
        return end
    }
}

/// What a test cannot go on with.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
