// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
internal import LinuxSystem

/// A file that the caller names and that the sandbox writes, or reads as it grows.
///
/// It is opened with the privileges of the command's user: a directory that this user may write could hold a link or a
/// file of another user under that name. Symbolic links are never followed.
package struct OutputFile {
    /// The path, as the caller gave it.
    private let path: String
    /// The command's user; nil for the current user.
    private let account: Account?

    /// What the file is for.
    package enum Purpose: String {
        case log = "the packet log"
        /// Readable by its owner alone: packets may hold secrets.
        case capture = "the capture"
        /// The command writes it.
        case keyLog = "the TLS key log"
    }

    /// Names a file.
    ///
    /// - Parameters:
    ///   - path: the path, as the caller gave it.
    ///   - account: the command's user; nil for the current user.
    package init(path: String, account: Account?) {
        (self.path, self.account) = (path, account)
    }

    /// Opens the file: a key log for reading, others for appending, emptied if they are regular files.
    package func open(_ purpose: Purpose) throws(SandboxError) -> CInt {
        let result = try onSystem { () throws(SystemError) in
            if let inherited { return lc_duplicate(inherited) }
            return try account.fileRights.with { openHere(purpose) }
        }
        guard result < 0 else { return result }
        let verb = purpose == .keyLog ? "read" : "write"
        let purpose = purpose.rawValue
        let user = account.map { " as \($0.name)" } ?? ""
        guard result != -ELOOP else {
            throw SandboxError("cannot \(verb) \(purpose) \(path)\(user): symbolic links are not followed")
        }
        let isDenied = result == -EACCES || result == -EPERM
        throw SandboxError(
            "\(verb) \(purpose) \(path)\(user)",
            code: -result,
            remedy: isDenied ? account.map { "a path that \($0.name) may write" } : nil
        )
    }

    /// The descriptor that the path names, if it is one that the caller has opened already.
    private var inherited: CInt? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            let prefix = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
            return prefix.flatMap { CInt(path.dropFirst($0.count)) }
        }
    }

    /// The descriptor, or a negative errno.
    private func openHere(_ purpose: Purpose) -> CInt {
        // Without O_NONBLOCK, a pipe without a reader would block.
        let flags = O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        guard purpose != .keyLog else {
            let descriptor = Glibc.open(path, flags | O_RDONLY, 0o600)
            return descriptor < 0 ? -errno : descriptor
        }
        let descriptor = Glibc.open(path, flags | O_WRONLY | O_APPEND, purpose == .capture ? 0o600 : 0o666)
        guard descriptor >= 0 else { return -errno }
        var facts = stat()
        if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG {
            _ = ftruncate(descriptor, 0)
            if purpose == .capture { _ = fchmod(descriptor, 0o600) }
        }
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
        return descriptor
    }
}
