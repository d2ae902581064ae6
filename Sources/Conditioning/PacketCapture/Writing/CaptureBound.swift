// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// How large the capture of a run may become.
package struct CaptureBound: Sendable {
    /// No capture may have more bytes that no user has named a file for.
    static let most = 4 << 30

    private let bytes: Int

    /// The bound of a capture on a file system with this room: others need it too, so half of it remains.
    ///
    /// - Parameter isNamed: whether the user has named its file.
    init(free: Int, isNamed: Bool) { bytes = min(isNamed ? .max : Self.most, free / 2) }

    /// The same on the file system of an open file.
    package init(_ descriptor: CInt, isNamed: Bool) {
        self.init(free: FileSystemRoom.free(of: descriptor), isNamed: isNamed)
    }

    /// By how many bytes a capture of this size may grow.
    func room(size: Int) -> Int { max(bytes - size, 0) }

    /// Why it must not grow any further.
    var reason: String {
        "it has taken " + (bytes == Self.most ? "4 GiB" : "half of the room that its file system had")
    }
}
