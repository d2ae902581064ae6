// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import TestKit
import Testing

@testable import LinkConditioning
@testable import TrafficControl

@Suite struct InterfaceLockTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)").path

    /// A lock that can be released.
    private final class Held: @unchecked Sendable {
        var lock: InterfaceLock?

        init(_ lock: InterfaceLock) {
            self.lock = lock
        }
    }

    private func acquire(_ holder: String, lockTimeout: Duration = .zero) throws(InterfaceLock.Failure) -> InterfaceLock
    {
        try InterfaceLock.acquire(path, holder: holder, lockTimeout: lockTimeout)
    }

    @Test func isHeldByOneAndNamesIt() throws {
        let first = try acquire("4711 (linkcond switch)")
        defer { unlink(path) }
        #expect(throws: InterfaceLock.Failure.busy("4711 (linkcond switch)")) { try acquire("2") }
        withExtendedLifetime(first) {}
    }

    @Test func waitsForItsEnd() throws {
        let first = Held(try acquire("1"))
        defer { unlink(path) }
        // Time passes only by waiting; at the third attempt the holder is gone.
        nonisolated(unsafe) var looks = 0
        let pace = Pace(
            now: { .milliseconds(looks) },
            sleep: { _ in
                looks += 1
                if looks == 3 { first.lock = nil }
            }
        )
        let second = try InterfaceLock.acquire(path, holder: "2", lockTimeout: .seconds(1), pace: pace)
        #expect(looks == 3)
        withExtendedLifetime(second) {}
    }

    @Test func isNotTakenOnAFileThatWasDeletedMeanwhile() throws {
        let first = Held(try acquire("1"))
        defer { unlink(path) }
        let pace = Pace(
            now: { .zero },
            sleep: { _ in
                first.lock?.forget()
                first.lock = nil
            }
        )
        let second = try InterfaceLock.acquire(path, holder: "2", lockTimeout: .seconds(1), pace: pace)
        #expect(throws: InterfaceLock.Failure.busy("2")) { try acquire("3") }
        withExtendedLifetime(second) {}
    }

    @Test func namesAHolderThatIsStopped() throws {
        var error = InterfaceSession.error(.busy("\(getpid()) (linkcond switch)"), "eth0")
        #expect(error.message == "eth0 is being changed by process \(getpid()) (linkcond switch)")
        let holder = try RunningCommand(["sleep", "600"])
        holder.send(SIGSTOP)
        try RunningCommand.wait(for: "T", of: holder.number)
        error = InterfaceSession.error(.busy("\(holder.number) (linkcond switch)"), "eth0")
        #expect(error.message.hasSuffix("(linkcond switch), which is stopped"))
        #expect(error.remedy == "kill -CONT \(holder.number)" && error.code == .busy)
    }

    @Test func cannotBeWhereNoFileCan() {
        #expect(throws: InterfaceLock.Failure.file(SystemError(operation: "open /proc/nosuch/lock", code: ENOENT))) {
            try InterfaceLock.acquire("/proc/nosuch/lock", holder: "", lockTimeout: .zero)
        }
    }
}
