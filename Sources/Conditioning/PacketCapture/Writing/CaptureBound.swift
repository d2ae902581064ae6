// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The bound on the size of a run's capture.
package struct CaptureBound: Sendable {
    /// The largest size in bytes of a capture for which the user has not named a file.
    static let maximum = 4 << 30

    private let bytes: Int

    /// The bound of a capture on a file system with `free` bytes: half of them remain for other programs.
    ///
    /// - Parameter isNamed: whether the user has named the capture's file.
    init(free: Int, isNamed: Bool) { bytes = min(isNamed ? .max : Self.maximum, free / 2) }

    /// The bound on the file system of an open file.
    package init(_ descriptor: CInt, isNamed: Bool) {
        self.init(free: FileSystemRoom.free(of: descriptor), isNamed: isNamed)
    }

    /// The bytes by which a capture of `size` bytes may still grow.
    func room(size: Int) -> Int { max(bytes - size, 0) }

    /// The reason why the capture must not grow any further.
    var reason: String {
        "it has taken " + (bytes == Self.maximum ? "4 GiB" : "half of the room that its file system had")
    }
}
