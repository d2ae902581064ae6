// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Synchronization

/// A thread that does what is due, and sleeps in between.
final class Pacer: Sendable {
    private let wakeDescriptor = lc_open_eventfd()
    private let isStopping = Atomic(false)

    init() {
        precondition(wakeDescriptor >= 0, "no eventfd for the monitor: errno \(-wakeDescriptor)")
    }

    deinit { close(wakeDescriptor) }

    /// Starts it. `work` does what is due and gives how long there is nothing to do; nil for until `wake`.
    func start(_ work: @escaping @Sendable () -> Duration?) {
        do throws(SystemError) {
            try PosixThread.detach { self.run(work) }
        } catch {
            preconditionFailure("no thread for the monitor: \(error)")
        }
    }

    /// Has the work looked at now; from any thread.
    func wake() { lc_signal_eventfd(wakeDescriptor) }

    /// Ends the thread.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        wake()
    }

    private func run(_ work: () -> Duration?) {
        while !isStopping.load(ordering: .acquiring) {
            let pause = work()
            var polled = pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)
            let limit = pause.map { CInt(min(max(($0 / .milliseconds(1)).rounded(.up), 0), 60_000)) } ?? -1
            if poll(&polled, 1, limit) > 0 { lc_clear_eventfd(wakeDescriptor) }
        }
    }
}
