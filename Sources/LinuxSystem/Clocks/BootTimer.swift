// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A descriptor that becomes readable at a time of `BootClock`: timerfd_create(2). poll(2) counts its own time limit by a
/// clock that stops while the machine is suspended.
package struct BootTimer {
    /// Readable when the time has come.
    package let descriptor: CInt

    /// - Throws: the reason why the kernel gives no descriptor.
    package init() throws(SystemError) {
        descriptor = try checked(lc_open_boot_timer(), "make a timer")
    }

    /// Sets the time; nil for never.
    package func set(_ time: Duration?) {
        _ = lc_set_timer(descriptor, time.map { max(1, Int64($0 / .nanoseconds(1))) } ?? 0)
    }

    /// Closes the descriptor.
    package func close() { Glibc.close(descriptor) }
}
