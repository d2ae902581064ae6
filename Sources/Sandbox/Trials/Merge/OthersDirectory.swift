// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem

/// A directory with files of others: only regular files are read, and no symbolic link is followed below it.
final class OthersDirectory {
    /// The path, for errors.
    private let path: String
    private let descriptor: CInt

    /// Opens the directory that the user named; its path may have symbolic links.
    init(_ path: String) throws(UnusableShard) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw UnusableShard(path, String(cString: strerror(errno)), canBeLeftOut: false) }
    }

    private init(_ path: String, _ descriptor: CInt) { (self.path, self.descriptor) = (path, descriptor) }

    deinit { close(descriptor) }

    /// Opens a directory below, by names separated by "/"; nil if it does not exist.
    func folder(_ names: String) throws(UnusableShard) -> OthersDirectory? {
        var folder = self
        for name in names.split(separator: "/") {
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            let child = openat(folder.descriptor, String(name), flags)
            guard child >= 0 else {
                guard errno != ENOENT else { return nil }
                throw UnusableShard(path, "cannot open \(names): \(Self.reason(errno))")
            }
            folder = OthersDirectory(path, child)
        }
        return folder
    }

    /// Reads a file as a whole.
    func read(_ name: String, limit: Int) throws(UnusableShard) -> [UInt8] {
        guard let file = try file(name) else { throw UnusableShard(path, "there is no \(name)") }
        defer { close(file) }
        do throws(SystemError) {
            return try SmallFile.read(file, named: name, limit: limit)
        } catch {
            throw UnusableShard(path, "\(error)")
        }
    }

    /// Opens a file for reading; nil if it does not exist.
    func file(_ name: String) throws(UnusableShard) -> CInt? {
        // Without blocking, as on a FIFO.
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            guard errno != ENOENT else { return nil }
            throw UnusableShard(path, "cannot read \(name): \(Self.reason(errno))")
        }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw UnusableShard(path, "\(name) is not a file")
        }
        return file
    }

    private static func reason(_ code: CInt) -> String {
        code == ELOOP ? "it is a symbolic link" : String(cString: strerror(code))
    }
}
