// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// An open directory whose files are named relative to its descriptor, so that replacing its path has no effect.
package final class Directory: Sendable {
    /// The path by which the directory was opened, without a trailing slash.
    package let path: String
    private let descriptor: CInt
    private let rights: FileRights

    /// Opens the directory, after creating it and its parents if they do not exist.
    ///
    /// - Parameters:
    ///   - mode: the mode of created directories, reduced by the umask.
    ///   - rights: the user and groups with whose rights the directory and its files are accessed.
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

    /// Creates an empty file for appending and reading, replacing a file of that name. Its mode is `mode`, regardless
    /// of the umask.
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

    /// Creates an empty file for appending and reading that has no name until ``name(_:_:mode:)`` gives it the name
    /// `name`; the file ends with the processes that have it open.
    package func createUnnamed(_ name: String, mode: mode_t) throws(SystemError) -> CInt {
        let file = try rights.with { () throws(SystemError) -> CInt? in
            let file = openat(descriptor, ".", Self.unnamed | O_RDWR | O_APPEND | O_CLOEXEC, mode)
            // Some file systems do not support unnamed files, with different errors.
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

    /// Gives an open file a name, replacing a file of that name: links an unnamed file, or else names a copy.
    package func name(_ file: CInt, _ name: String, mode: mode_t) throws(SystemError) {
        try remove(name)
        // The path refers to the open file: linkat(2).
        let isNamed = try? rights.with { () throws(SystemError) in
            try checked(
                linkat(AT_FDCWD, "/proc/self/fd/\(file)", descriptor, name, AT_SYMLINK_FOLLOW),
                "name \(path)/\(name)"
            )
        }
        guard isNamed == nil else { return }
        try replace(name, mode: mode) { Descriptors.copy(file, to: $0) }
    }

    /// Replaces a file atomically by the bytes that `write` writes to an open file.
    ///
    /// - Parameter write: writes the file; returns an errno if that fails, or nil.
    package func replace(_ name: String, mode: mode_t, _ write: (CInt) -> CInt?) throws(SystemError) {
        try make(name, mode: mode, write) { draft throws(SystemError) in
            try checked(renameat(descriptor, draft, descriptor, name), "replace \(path)/\(name)")
        }
    }

    /// Creates a file atomically with the bytes that `write` writes to an open file. Fails with EEXIST if the name
    /// exists.
    package func add(_ name: String, mode: mode_t, _ write: (CInt) -> CInt?) throws(SystemError) {
        try make(name, mode: mode, write) { draft throws(SystemError) in
            // rename(2) would replace a file; NFS does not support its flag against that.
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

    /// Deletes files of a directory below this one, and the directory if nothing else is in it.
    package func remove(_ files: [String], below name: String) throws(SystemError) {
        for file in files { try remove("\(name)/\(file)") }
        _ = try rights.with { () throws(SystemError) in unlinkat(descriptor, name, AT_REMOVEDIR) }
    }

    /// Reserves space on the file system, until the result is released.
    ///
    /// - Parameter bytes: the size to reserve, at most; the reservation never exceeds a quarter of the free space.
    /// - Returns: nil if no space can be reserved.
    package func reserve(_ bytes: Int) -> ReservedRoom? {
        let name = ".linkcond-room.\(getpid())"
        guard let file = try? create(name, mode: 0o600) else { return nil }
        // Without a name, the file ends with the processes that have it open.
        try? remove(name)
        let room = min(bytes, FileSystemRoom.free(of: file) / 4)
        guard room > 0, posix_fallocate(file, 0, room) == 0 else {
            close(file)
            return nil
        }
        return ReservedRoom(descriptor: file)
    }
}

/// Reserved space on a file system.
package final class ReservedRoom: Sendable {
    private let descriptor: CInt

    fileprivate init(descriptor: CInt) { self.descriptor = descriptor }

    /// Frees the reserved space.
    package func release() { ftruncate(descriptor, 0) }

    deinit { close(descriptor) }
}

/// The free space of file systems: statvfs(3).
package enum FileSystemRoom {
    /// The number of bytes that users may still write to the file system of an open file; `Int.max` if unknown.
    package static func free(of descriptor: CInt) -> Int {
        var system = statvfs()
        guard fstatvfs(descriptor, &system) == 0 else { return .max }
        let (free, isHuge) = Int(clamping: system.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: system.f_frsize))
        return isHuge ? .max : free
    }
}
