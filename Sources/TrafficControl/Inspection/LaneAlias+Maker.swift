// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

extension LaneAlias {
    /// Whether the process that made the lane is running, judged by its process ID and its age.
    package var makerIsAlive: Bool {
        guard processID > 0, let identity = ProcessIdentity(processID) else { return false }
        let ticks = UInt64(max(sysconf(Int32(_SC_CLK_TCK)), 1))
        let age = BootClock.now - .seconds(Int64(identity.startTime / ticks))
        // A process that started after the lane was made has reused the ID; two seconds allow for rounding.
        return time(nil) - Int(age.components.seconds) <= appliedAt + 2
    }
}
