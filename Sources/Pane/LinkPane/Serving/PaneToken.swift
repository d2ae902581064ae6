// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinuxSystem

/// The token of scripts, in a file that only this user can read.
package final class PaneToken: Sendable {
    let secret: PaneSecret
    private let path: String
    private let identity: FileIdentity?

    /// Writes a new token to the file at `path`. Only the file of a pane that was killed is replaced.
    ///
    /// - Throws: EEXIST if there is another file.
    package init(writingTo path: String) throws(SystemError) {
        var random = SystemRandomNumberGenerator()
        (secret, self.path) = (PaneSecret(&random), path)
        if Self.isToken(path) { unlink(path) }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = try checked(open(path, flags, 0o600), "make \(path)")
        defer { close(descriptor) }
        if let code = Descriptors.write(Array("\(secret.text)\n".utf8)[...], to: descriptor) {
            unlink(path)
            throw SystemError(operation: "write \(path)", code: code)
        }
        identity = FileIdentity(path)
    }

    /// Deletes the file, unless it was replaced.
    package func remove() {
        if let identity, FileIdentity(path) == identity { unlink(path) }
    }

    /// Whether the file at `path` is this user's, and has a token.
    private static func isToken(_ path: String) -> Bool {
        var facts = stat()
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(),
            let bytes = try? SmallFile.read(path), bytes.last == UInt8(ascii: "\n")
        else { return false }
        return PaneSecret.isSecret(String(decoding: bytes.dropLast(), as: UTF8.self))
    }
}
