// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An open directory of profiles. Files are opened relative to its descriptor, so that they are in the directory whose
/// owner was checked.
struct ProfileDirectory: ~Copyable {
    private let path: String
    private let descriptor: CInt

    init(path: String) throws(UnreadableFile) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw UnreadableFile(path: path, code: errno) }
        self.path = path
    }

    deinit { close(descriptor) }

    /// The result of fstat(2) on the directory.
    var facts: stat? {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? facts : nil
    }

    /// The names of the files in alphabetical order, without hidden files.
    func names() throws(UnreadableFile) -> [String] {
        let copy = dup(descriptor)
        guard copy >= 0, let directory = fdopendir(copy) else { throw UnreadableFile(path: path, code: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            // The tuple d_name has the address of the C string.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// The content of the regular file `name`, at most `limit` bytes.
    func bytes(of name: String, limit: Int) throws(UnreadableFile) -> [UInt8] {
        // Opening a pipe would block without O_NONBLOCK.
        let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        return try FileReading.bytes(ofOpened: file, path: "\(path)/\(name)", limit: limit, isFound: true)
    }
}

/// A directory that is not searched, because another user could have placed a profile there for root to apply.
public struct UntrustedDirectory: Hashable, Sendable, CustomStringConvertible {
    enum Reason: Hashable, Sendable {
        /// The directory belongs to this user.
        case owner(UInt32)
        /// Users other than its owner may write to it.
        case writable

        /// The reason why a user other than `owners` could have placed a profile in the directory; nil if none could.
        init?(_ facts: stat, owners: Set<UInt32>) {
            guard owners.contains(facts.st_uid) else {
                self = .owner(facts.st_uid)
                return
            }
            let isGroupTrusted = facts.st_gid == 0 || facts.st_mode & S_IWGRP == 0
            guard !isGroupTrusted || facts.st_mode & S_IWOTH != 0 else { return nil }
            self = .writable
        }
    }

    /// The path.
    public let path: String
    let reason: Reason

    /// The path, the reason, and a remedy.
    public var description: String {
        switch reason {
        case .owner(let user):
            "\(path) is not searched: it belongs to uid \(user), who is neither root nor sudo's caller; "
                + "--profile-path \(path) searches it"
        case .writable:
            "\(path) is not searched: other users may write to it; \"chmod go-w \(path)\" changes that"
        }
    }
}
