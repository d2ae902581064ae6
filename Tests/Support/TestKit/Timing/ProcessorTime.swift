// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The time that a processor spends on work, however long others have the processor meanwhile.
package enum ProcessorTime {
    /// What `body` takes of the calling thread.
    package static func ofThread(_ body: () throws -> Void) rethrows -> Duration {
        let start = now()
        try body()
        return now() - start
    }

    private static func now() -> Duration {
        var usage = rusage()
        // RUSAGE_THREAD, whose declaration Swift does not see (`_GNU_SOURCE`).
        getrusage(1, &usage)
        return Duration(usage)
    }
}

extension Duration {
    /// The processor's time of getrusage(2), in the process and in the kernel.
    init(_ usage: rusage) {
        self =
            .seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + .microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }
}
