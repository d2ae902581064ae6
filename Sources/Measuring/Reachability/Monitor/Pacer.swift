// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Synchronization

/// A thread that does what is due, and sleeps until then.
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

    /// Starts it. `work` does what is due and returns the time until something is due again; nil for until `wake`.
    func start(_ work: @escaping @Sendable () -> Duration?) {
        do throws(SystemError) {
            try PosixThread.detach { self.run(work) }
        } catch {
            preconditionFailure("no thread for the monitor: \(error)")
        }
    }

    /// Calls `work` at once; from any thread.
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
