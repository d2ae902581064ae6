// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// A file as it is now; another value once it has changed.
struct FileVersion: Equatable {
    let path: String
    /// Whether it is a regular file with something in it.
    let hasContent: Bool
    private let identity: FileIdentity
    private let size: Int
    /// A timespec, whose fields Swift does not show to every build.
    private let changed: [UInt8]

    /// Reads the version; nil if there is no such file.
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
