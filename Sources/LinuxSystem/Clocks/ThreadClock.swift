// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The time that the calling thread has spent on a processor.
package enum ThreadClock {
    /// Nanoseconds.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
