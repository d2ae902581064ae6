// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Synchronization

/// A thread that runs scheduled work, and sleeps until more is due.
final class Pacer: Sendable {
    private let wakeup: EventFD
    private let isStopping = Atomic(false)

    init() {
        do throws(SystemError) {
            wakeup = try EventFD()
        } catch {
            preconditionFailure("no eventfd for the monitor: \(error)")
        }
    }

    /// Starts the thread. `work` does what is due, and returns the time until it has to be called again; nil waits for
    /// `wake`.
    func start(_ work: @escaping @Sendable () -> Duration?) {
        do throws(SystemError) {
            try PosixThread.detach { self.run(work) }
        } catch {
            preconditionFailure("no thread for the monitor: \(error)")
        }
    }

    /// Makes the thread call `work` at once; may be called from any thread.
    func wake() { wakeup.signal() }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        wake()
    }

    private func run(_ work: () -> Duration?) {
        while !isStopping.load(ordering: .acquiring) {
            let pause = work()
            if Wait.untilReadable([wakeup.descriptor], limit: pause.map { min($0, .seconds(60)) }) { wakeup.clear() }
        }
    }
}
