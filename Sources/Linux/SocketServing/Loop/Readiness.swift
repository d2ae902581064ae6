// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// What a descriptor is ready for, or is to be watched for: epoll(7).
package struct Readiness: OptionSet, Sendable {
    package let rawValue: CInt

    package init(rawValue: CInt) { self.rawValue = rawValue }

    /// Something can be read: bytes, a connection, or the end.
    package static let readable = Readiness(rawValue: CInt(lc_readable))
    /// Something can be written.
    package static let writable = Readiness(rawValue: CInt(lc_writable))
    /// There is an error, or both directions have ended. Reported whatever is watched for.
    package static let failed = Readiness(rawValue: CInt(lc_failed))
}
