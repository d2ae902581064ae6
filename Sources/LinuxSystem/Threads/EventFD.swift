// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A descriptor that wakes the thread that polls it: eventfd(2).
package final class EventFD: Sendable {
    /// Readable after `signal`, until `clear`.
    package let descriptor: CInt

    /// - Throws: the reason why the kernel gives no descriptor.
    package init() throws(SystemError) {
        descriptor = try checked(lc_open_eventfd(), "make an eventfd")
    }

    deinit { close(descriptor) }

    /// Makes the descriptor readable, from any thread.
    package func signal() { lc_signal_eventfd(descriptor) }

    /// Makes the descriptor unreadable again.
    package func clear() { lc_clear_eventfd(descriptor) }
}
