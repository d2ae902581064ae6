// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

extension Pace {
    /// Calls `isTrue` at intervals of at most 20 ms until it returns true or the deadline has passed; returns its last
    /// result.
    ///
    /// The last call comes after the deadline: a process that was not scheduled meanwhile must not report a failure for
    /// a time in which it did not check.
    package func waits<Failure>(
        until deadline: Duration,
        for isTrue: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        var nap = Duration.milliseconds(1)
        while true {
            let isLast = now() >= deadline
            if try isTrue() { return true }
            guard !isLast else { return false }
            sleep(nap)
            nap = min(nap * 2, .milliseconds(20))
        }
    }
}
