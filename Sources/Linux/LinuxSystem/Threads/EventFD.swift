// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A descriptor that wakes the thread that polls it: eventfd(2).
package final class EventFD: Sendable {
    /// Readable after `signal`, until `clear`.
    package let descriptor: CInt

    /// - Throws: the kernel's error if it provides no descriptor.
    package init() throws(SystemError) {
        descriptor = try checked(eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)), "make an eventfd")
    }

    deinit { close(descriptor) }

    /// Makes the descriptor readable, from any thread.
    package func signal() {
        // Fails only if the counter is full; the descriptor is then readable anyway.
        eventfd_write(descriptor, 1)
    }

    package func clear() { lc_clear_eventfd(descriptor) }
}
