// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The bound on the size of a run's capture.
package struct CaptureBound: Sendable {
    /// The most bytes of a capture for which no user has named a file.
    static let maximum = 4 << 30

    private let bytes: Int

    /// The bound of a capture on a file system with this room: others need it too, so half of it remains.
    ///
    /// - Parameter isNamed: whether the user has named its file.
    init(free: Int, isNamed: Bool) { bytes = min(isNamed ? .max : Self.maximum, free / 2) }

    /// The bound on the file system of an open file.
    package init(_ descriptor: CInt, isNamed: Bool) {
        self.init(free: FileSystemRoom.free(of: descriptor), isNamed: isNamed)
    }

    /// The bytes by which a capture of this size may grow.
    func room(size: Int) -> Int { max(bytes - size, 0) }

    /// The reason why it must not grow any further.
    var reason: String {
        "it has taken " + (bytes == Self.maximum ? "4 GiB" : "half of the room that its file system had")
    }
}
