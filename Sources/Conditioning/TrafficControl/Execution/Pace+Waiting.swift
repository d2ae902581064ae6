// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

extension Pace {
    /// Whether `isTrue` becomes true before the deadline, by looks that are at most 20 ms apart.
    ///
    /// The last look begins after the deadline: a process that had no processor meanwhile must not answer for a time in which
    /// it did not look.
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
