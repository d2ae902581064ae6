// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How large a capture may become that no user has asked for.
package struct CaptureBound: Hashable, Sendable {
    /// No capture may have more bytes.
    package static let most = 4 << 30

    /// The most bytes.
    package var bytes: Int

    /// The bound of a capture on a file system with this room: others need it too, so half of it remains.
    package init(free: Int) { bytes = min(Self.most, free / 2) }

    /// The same on the file system of an open file.
    package init(_ descriptor: CInt) {
        var system = statvfs()
        guard fstatvfs(descriptor, &system) == 0 else {
            self.init(free: .max)
            return
        }
        let (free, isHuge) = Int(clamping: system.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: system.f_frsize))
        self.init(free: isHuge ? .max : free)
    }

    /// Why a capture of this size must not grow; nil if it may.
    func reason(size: Int) -> String? {
        guard size >= bytes else { return nil }
        let bound = bytes == Self.most ? "4 GiB" : "half of the room that its file system had"
        return "it has taken \(bound)"
    }
}
