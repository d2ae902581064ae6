// SPDX-License-Identifier: Apache-2.0

import Glibc

private final class ThreadBody {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}

/// Runs `body` on a thread of its own, without the program's signals.
public func startThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(
        ThreadBody {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            body()
        }
    )
    let result = pthread_create(
        &thread,
        nil,
        { context in
            guard let context else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            return nil
        },
        context.toOpaque()
    )
    precondition(result == 0, "no thread for the pump: errno \(result)")
    pthread_detach(thread)
}
