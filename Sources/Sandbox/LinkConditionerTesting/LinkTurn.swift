// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Synchronization

/// Gives tests turns at the link of a sandbox, which they share with the tests of other processes.
///
/// It is a lock on a file of the sandbox, made with lockf(3). The lock belongs to one process and ends with it. Children do
/// not inherit it, so a child that a test leaves behind does not keep the turn. They would inherit a lock made with
/// flock(2), or a listening socket.
enum LinkTurn {
    /// Whether an enclosing trait has the turn.
    @TaskLocal private static var isHeld = false

    /// Whether a test of this process has the turn, or waits for it: the lock excludes only other processes.
    private static let isBusy = Atomic(false)

    private static let pause = Duration.milliseconds(5)

    /// Waits for this test's turn, and runs `body`.
    ///
    /// - Parameters:
    ///   - file: the file that is locked.
    ///   - body: gets whether this call has the turn; false if an enclosing trait has it.
    static func run<Result>(
        _ file: String,
        _ body: (_ isOutermost: Bool) async throws -> Result
    ) async throws -> Result {
        guard !isHeld else { return try await body(false) }
        while isBusy.exchange(true, ordering: .acquiring) { try await Task.sleep(for: pause) }
        defer { isBusy.store(false, ordering: .releasing) }
        let descriptor = try checked(open(file, O_WRONLY | O_CLOEXEC), "open \(file)")
        defer { close(descriptor) }
        while !(try lock(descriptor)) { try await Task.sleep(for: pause) }
        return try await $isHeld.withValue(true) { try await body(true) }
    }

    /// Tries to lock the file; returns false if another process has locked it.
    private static func lock(_ descriptor: CInt) throws(SystemError) -> Bool {
        if lockf(descriptor, CInt(F_TLOCK), 0) == 0 { return true }
        guard errno == EAGAIN || errno == EACCES || errno == EINTR else {
            throw SystemError(operation: "take a turn at the link", code: errno)
        }
        return false
    }
}
