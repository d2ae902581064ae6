// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A POSIX thread, which may block, and whose network namespace may differ from the process's.
package struct PosixThread: Sendable {
    private let thread: pthread_t

    /// Starts a thread that runs `body` with every signal blocked.
    ///
    /// - Throws: the error of pthread_create(3).
    package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> PosixThread {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(
            ThreadBody {
                SignalSet.blockAllInThread()
                body()
            }
        )
        let code = pthread_create(
            &thread,
            nil,
            { context in
                if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            },
            context.toOpaque()
        )
        guard code == 0 else {
            context.release()
            throw SystemError(operation: "start a thread", code: code)
        }
        return PosixThread(thread: thread)
    }

    /// Starts a thread that runs `body` and that no other thread waits for.
    package static func detach(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        try start(body).detach()
    }

    package func join() { pthread_join(thread, nil) }

    /// Lets the thread end without being waited for.
    package func detach() { pthread_detach(thread) }

    package var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }
}

/// The body of a thread, as an object that C code can carry.
private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
