// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Names one process for good, which its ID does not: pidfd_open(2).
package final class ProcessHandle: Sendable {
    private let descriptor: CInt

    /// Names the process that has this ID now.
    package init(_ process: Int32) throws(SystemError) {
        descriptor = try checked(lc_open_process(process), "find process \(process)")
    }

    deinit { close(descriptor) }

    /// Sends a signal; does nothing if the process has ended.
    package func signal(_ number: CInt) { lc_signal_process(descriptor, number) }
}
