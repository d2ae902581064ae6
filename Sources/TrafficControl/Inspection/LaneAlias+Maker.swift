// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

extension LaneAlias {
    /// Whether the process that made the lane is running.
    package var makerIsAlive: Bool {
        // An alias without start time has no room for it, or was cut off; the ID alone may be another process's.
        guard let maker else { return processID > 0 && ProcessIdentity(processID) != nil }
        return maker.isAlive
    }

    /// Whether the rule belongs to a process that runs, such as the supervisor of a sandbox.
    package var isHeldByLivingProcess: Bool { isHeld && makerIsAlive }
}
