// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file or directory that only this user or root can have created: they own each directory of its path, and no other
/// user may write there. It is held open, so that the file in use is the file that was checked; links are not followed.
package final class TrustedFile {
    /// O_PATH, which Glibc's module lacks: refers to a file of any kind without opening it.
    private static let pathOnly: CInt = 0o10_000_000

    private let descriptor: CInt

    private init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Opens an absolute path; nil if it does not exist or cannot be trusted.
    package static func open(_ path: String) -> TrustedFile? {
        guard path.hasPrefix("/"), var file = TrustedFile.opened(at: AT_FDCWD, "/") else { return nil }
        for name in path.split(separator: "/") {
            guard name != "..", let next = file.child(String(name)) else { return nil }
            file = next
        }
        return file
    }

    /// A file in this directory; nil if it does not exist or cannot be trusted.
    package func child(_ name: String) -> TrustedFile? {
        name.contains("/") || name == ".." ? nil : Self.opened(at: descriptor, name)
    }

    /// The content of this file; nil if it cannot be read.
    package var content: [UInt8]? {
        guard kind == S_IFREG else { return nil }
        return try? SmallFile.read(path, followsLinks: true)
    }

    /// The names in this directory; none if it cannot be read.
    package var names: [String] { DirectoryListing.names(in: path) }

    /// A path to this file, valid while this object exists even if the file is renamed or deleted.
    package var path: String { "/proc/self/fd/\(descriptor)" }

    private var kind: mode_t {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? facts.st_mode & S_IFMT : 0
    }

    private static func opened(at directory: CInt, _ name: String) -> TrustedFile? {
        let descriptor = openat(directory, name, pathOnly | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = TrustedFile(descriptor)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, isTrusted(facts.st_uid) else { return nil }
        // In a sticky directory, no user renames another user's file.
        let isOthers = facts.st_mode & 0o022 != 0 && facts.st_mode & S_ISVTX == 0
        return facts.st_mode & S_IFMT == S_IFDIR && isOthers || facts.st_mode & S_IFMT == S_IFLNK ? nil : file
    }

    /// Whether a file's owner is this user or root. In a user namespace other than the initial one, root is the owner
    /// of "/".
    private static func isTrusted(_ owner: uid_t) -> Bool {
        var facts = stat()
        return owner == geteuid() || owner == 0 || stat("/", &facts) == 0 && owner == facts.st_uid
    }
}
