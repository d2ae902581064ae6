// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import PacketPump
internal import Synchronization

/// Ends a sandbox's pump that does not answer any more, so that the caller is told, as of one that ended by itself. A
/// process that was stopped keeps its TAP devices, and packets would vanish silently.
final class PumpWatch: Sendable {
    private let pump: PumpProcess
    /// A handle, not the process ID: the kernel may give the ID to another process when the supervisor has read the end
    /// of this one.
    private let handle: ProcessHandle
    private let hasGivenUp = Atomic(false)

    /// Watches nothing yet. Must be made before the end of the process can have been read.
    init(_ pump: PumpProcess) throws(SystemError) {
        self.pump = pump
        handle = try ProcessHandle(pump.process)
    }

    /// Whether the process was ended since it did not answer.
    var hasEndedPump: Bool { hasGivenUp.load(ordering: .acquiring) }

    /// Watches on a thread of its own, since an answer may take seconds, until the process has ended.
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
