// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Waits for descriptors: poll(2).
package enum Wait {
    /// Waits until one of `descriptors` is readable or closed, or until `limit` has passed; returns false in the latter
    /// case.
    @discardableResult
    package static func untilReadable(_ descriptors: [CInt], limit: Duration? = nil) -> Bool {
        var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = limit.map { max(0, ($0 + .microseconds(999)) / .milliseconds(1)) } ?? -1
        return poll(&requests, nfds_t(requests.count), CInt(clamping: Int(milliseconds))) > 0
    }

    /// Whether `descriptor` is readable now, also at end of file.
    package static func isReadable(_ descriptor: CInt) -> Bool {
        untilReadable([descriptor], limit: .zero)
    }
}
