// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles

/// The reason why a file or directory could not be read.
public struct UnreadableFile: Error, Hashable, CustomStringConvertible {
    /// The path as the caller passed it.
    public let path: String
    /// The system's error number; nil if the program itself rejects the file.
    public let code: CInt?
    /// The reason.
    public let reason: String

    init(path: String, code: CInt) {
        self.path = path
        self.code = code
        reason = String(cString: strerror(code))
    }

    init(path: String, reason: String) {
        self.path = path
        code = nil
        self.reason = reason
    }

    /// Whether permission is denied.
    public var isForbidden: Bool { code == EACCES || code == EPERM }

    /// Path and reason.
    public var description: String { "\(path.escapingControls()): \(reason)" }
}

/// Reads small files; errors contain the system's message.
enum FileReading {
    /// Returns the content of the file, pipe or device at `path`, at most `limit` bytes.
    ///
    /// With `isFound`, for a path that a search found and the user did not give, only a regular file is read: opening a
    /// pipe would block.
    static func bytes(atPath path: String, limit: Int, isFound: Bool = false) throws(UnreadableFile) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (isFound ? O_NONBLOCK : 0))
        return try bytes(ofOpened: descriptor, path: path, limit: limit, isFound: isFound)
    }

    /// Reads and closes `descriptor`, the result of open(2). With `isFound`, throws unless it is a regular file.
    static func bytes(
        ofOpened descriptor: CInt,
        path: String,
        limit: Int,
        isFound: Bool
    ) throws(UnreadableFile) -> [UInt8] {
        guard descriptor >= 0 else { throw UnreadableFile(path: path, code: errno) }
        defer { close(descriptor) }
        var facts = stat()
        // For a directory, read(2) fails with EISDIR.
        guard !isFound || fstat(descriptor, &facts) == 0 && [S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) else {
            throw UnreadableFile(path: path, reason: "not a regular file")
        }
        return try bytes(of: descriptor, path: path, limit: limit)
    }

    /// Reads `descriptor` to its end; throws if there are more than `limit` bytes.
    static func bytes(of descriptor: CInt, path: String, limit: Int) throws(UnreadableFile) -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw UnreadableFile(path: path, code: errno) }
            guard count > 0 else { return result }
            result += buffer[..<count]
            guard result.count <= limit else {
                throw UnreadableFile(path: path, reason: "larger than \(limit) bytes")
            }
        }
    }
}
