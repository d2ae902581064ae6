// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// An open directory, whose files are named relative to it: what later has its path is another directory.
package final class Directory: Sendable {
    /// The path by which it was opened, without a slash at its end.
    package let path: String
    private let descriptor: CInt
    private let rights: FileRights

    /// Makes the directory and those above it, unless they exist, and opens it.
    ///
    /// - Parameters:
    ///   - mode: the mode of those that are made, without what the umask takes away.
    ///   - rights: with whose rights it and its files are made and named.
    package init(making path: String, mode: mode_t = 0o777, with rights: FileRights = .own) throws(SystemError) {
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
        self.rights = rights
        descriptor = try rights.with { () throws(SystemError) in
            var made = path.hasPrefix("/") ? "" : "."
            for part in path.split(separator: "/") {
                made += "/\(part)"
                guard mkdir(made, mode) == 0 || errno == EEXIST else {
                    throw SystemError(operation: "make \(made)", code: errno)
                }
            }
            return try checked(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "open \(path)")
        }
    }

    deinit { close(descriptor) }

    /// The result of fstat(2) on the directory.
    package var facts: stat? {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? facts : nil
    }

    /// Makes an empty file for appending and reading, in place of one of that name. Its mode is `mode`, whatever the umask.
    package func create(_ name: String, mode: mode_t) throws(SystemError) -> CInt {
        try rights.with { () throws(SystemError) in
            guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
                throw SystemError(operation: "replace \(path)/\(name)", code: errno)
            }
            let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC
            let file = try checked(openat(descriptor, name, flags, mode), "make \(path)/\(name)")
            fchmod(file, mode)
            return file
        }
    }

    /// O_TMPFILE of open(2), a macro that Swift does not import.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY

    /// Makes an empty file for appending and reading that has no name until ``name(_:_:mode:)``, which is to give it this one;
    /// it ends with the processes that have it open.
    package func createUnnamed(_ name: String, mode: mode_t) throws(SystemError) -> CInt {
        let file = try rights.with { () throws(SystemError) -> CInt? in
            let file = openat(descriptor, ".", Self.unnamed | O_RDWR | O_APPEND | O_CLOEXEC, mode)
            // Some file systems have no such files, and each says so in its own way.
            if file < 0, [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno) { return nil }
            return try checked(file, "make \(path)/\(name)")
        }
        if let file {
            fchmod(file, mode)
            return file
        }
        let draft = "\(name).\(getpid())"
        let named = try create(draft, mode: mode)
        try remove(draft)
        return named
    }

    /// Gives an open file a name, in place of one of that name: a file without a name itself, or else its copy.
    package func name(_ file: CInt, _ name: String, mode: mode_t) throws(SystemError) {
        try remove(name)
        // The path stands for the open file: linkat(2).
        let isNamed = try? rights.with { () throws(SystemError) in
            try checked(
                linkat(AT_FDCWD, "/proc/self/fd/\(file)", descriptor, name, AT_SYMLINK_FOLLOW),
                "name \(path)/\(name)"
            )
        }
        guard isNamed == nil else { return }
        try replace(name, mode: mode) { Descriptors.copy(file, to: $0) }
    }

    /// Replaces a file by what `write` writes to an open file: a reader finds the old one or the new one.
    ///
    /// - Parameter write: returns the errno of its failure.
    package func replace(_ name: String, mode: mode_t, _ write: (CInt) -> CInt?) throws(SystemError) {
        try make(name, mode: mode, write) { draft throws(SystemError) in
            try checked(renameat(descriptor, draft, descriptor, name), "replace \(path)/\(name)")
        }
    }

    /// Makes a file of what `write` writes to an open file: a reader finds none or all of it. Fails with EEXIST if one has
    /// this name.
    package func add(_ name: String, mode: mode_t, _ write: (CInt) -> CInt?) throws(SystemError) {
        try make(name, mode: mode, write) { draft throws(SystemError) in
            // rename(2) would replace a file; its flag against that is unknown to NFS.
            try checked(linkat(descriptor, draft, descriptor, name, 0), "make \(path)/\(name)")
            unlinkat(descriptor, draft, 0)
        }
    }

    private func make(
        _ name: String,
        mode: mode_t,
        _ write: (CInt) -> CInt?,
        publish: (_ draft: String) throws(SystemError) -> Void
    ) throws(SystemError) {
        let draft = "\(name).\(getpid())"
        let file = try create(draft, mode: mode)
        defer { close(file) }
        do throws(SystemError) {
            if let code = write(file) { throw SystemError(operation: "write \(path)/\(name)", code: code) }
            try checked(fsync(file), "write \(path)/\(name)")
            try rights.with { () throws(SystemError) in try publish(draft) }
        } catch {
            try? remove(draft)
            throw error
        }
    }

    /// Deletes a file if it exists.
    package func remove(_ name: String) throws(SystemError) {
        try rights.with { () throws(SystemError) in
            guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
                throw SystemError(operation: "delete \(path)/\(name)", code: errno)
            }
        }
    }

    /// Takes room on the file system, until the result is released.
    ///
    /// - Parameter bytes: how much; no more than a quarter of what is free.
    /// - Returns: nil if there is none to take.
    package func reserve(_ bytes: Int) -> ReservedRoom? {
        let name = ".linkcond-room.\(getpid())"
        guard let file = try? create(name, mode: 0o600) else { return nil }
        // Without a name, it ends with the processes that have it open.
        try? remove(name)
        let room = min(bytes, FileSystemRoom.free(of: file) / 4)
        guard room > 0, posix_fallocate(file, 0, room) == 0 else {
            close(file)
            return nil
        }
        return ReservedRoom(descriptor: file)
    }
}

/// Room on a file system that nothing else can use.
package final class ReservedRoom: Sendable {
    private let descriptor: CInt

    fileprivate init(descriptor: CInt) { self.descriptor = descriptor }

    /// Gives the room back.
    package func release() { ftruncate(descriptor, 0) }

    deinit { close(descriptor) }
}

/// The room on file systems: statvfs(3).
package enum FileSystemRoom {
    /// The bytes that users may still write to the file system of an open file; `Int.max` if that is not known.
    package static func free(of descriptor: CInt) -> Int {
        var system = statvfs()
        guard fstatvfs(descriptor, &system) == 0 else { return .max }
        let (free, isHuge) = Int(clamping: system.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: system.f_frsize))
        return isHuge ? .max : free
    }
}
