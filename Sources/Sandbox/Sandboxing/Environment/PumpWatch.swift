// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import PacketPump
internal import Synchronization

/// Kills a sandbox's pump that does not answer any more, so that its end is reported to the user. A stopped process
/// would keep its TAP devices, and packets would vanish silently.
final class PumpWatch: Sendable {
    private let pump: PumpProcess
    /// A handle and not the process ID: once the supervisor has reaped the pump, the kernel may give the ID to another
    /// process.
    private let handle: ProcessHandle
    private let hasGivenUp = Atomic(false)

    /// Watches nothing yet. Must be called before the pump can have been reaped.
    init(_ pump: PumpProcess) throws(SystemError) {
        self.pump = pump
        handle = try ProcessHandle(pump.process)
    }

    /// Whether the watch has killed the pump, since it did not answer.
    var hasEndedPump: Bool { hasGivenUp.load(ordering: .acquiring) }

    /// Watches on a thread of its own, since an answer may take seconds, until the pump has ended.
    func start() {
        try? PosixThread.detach { [self] in
            var heartbeat = PumpHeartbeat { [pump] in pump.heartbeat.isAnswered() }
            while !pump.heartbeat.isAbandoned {
                if heartbeat.hasStopped(at: BootClock.now) {
                    hasGivenUp.store(true, ordering: .releasing)
                    return handle.signal(SIGKILL)
                }
                pump.heartbeat.waitForEnd(limit: heartbeat.pause(at: BootClock.now))
            }
        }
    }
}
