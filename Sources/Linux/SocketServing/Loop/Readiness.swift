// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// The readiness of a descriptor, or the events to watch it for: epoll(7).
package struct Readiness: OptionSet, Sendable {
    package let rawValue: CInt

    package init(rawValue: CInt) { self.rawValue = rawValue }

    /// The descriptor has something to read: bytes, a connection, or the end.
    package static let readable = Readiness(rawValue: CInt(lc_readable))
    /// The descriptor accepts bytes.
    package static let writable = Readiness(rawValue: CInt(lc_writable))
    /// There is an error, or both directions have ended. Always reported.
    package static let failed = Readiness(rawValue: CInt(lc_failed))
}
