// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The identity, size and modification time of a file: two values differ if the file has changed in between.
struct FileVersion: Equatable {
    let path: String
    /// Whether it is a regular file that is not empty.
    let hasContent: Bool
    private let identity: FileIdentity
    private let size: Int
    /// The bytes of the modification time (a timespec, whose fields are not accessible in every build).
    private let changed: [UInt8]

    /// Reads the file's current state; nil if there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.path = path
        identity = FileIdentity(status)
        size = Int(status.st_size)
        hasContent = status.st_mode & S_IFMT == S_IFREG && size > 0
        changed = withUnsafeBytes(of: status.st_mtim) { Array($0) }
    }
}
