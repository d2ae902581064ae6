// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// A file that the caller names and that the sandbox writes, or reads as it grows.
///
/// It is opened with the privileges of the command's user: a directory that this user may write could hold a link or a
/// file of another user under that name. Symbolic links are never followed.
package enum OutputFile: String {
    case log = "the packet log"
    /// A file that only its owner can read: packets may hold secrets.
    case capture = "the capture"
    /// Written by the command, and read by the sandbox.
    case keyLog = "the TLS key log"

    /// Opens the file: a key log for reading, others for appending, emptied if they are regular files.
    package func open(_ path: String, for account: Account?) throws(SandboxError) -> CInt {
        let result =
            if let inherited = Self.inherited(path) {
                lc_duplicate(inherited)
            } else {
                try onSystem(account.fileRights.with { openHere(path) })
            }
        guard result < 0 else { return result }
        let user = account.map { " as \($0.name)" } ?? ""
        let action = "\(self == .keyLog ? "read" : "write") \(rawValue) \(path)\(user)"
        guard result != -ELOOP else {
            throw SandboxError("cannot \(action): symbolic links are not followed")
        }
        let isDenied = result == -EACCES || result == -EPERM
        throw SandboxError(
            action,
            code: -result,
            remedy: isDenied ? account.map { "a path that \($0.name) may write" } : nil
        )
    }

    /// The descriptor that the path names, if the caller has opened it already; otherwise nil.
    private static func inherited(_ path: String) -> CInt? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            let prefix = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
            return prefix.flatMap { CInt(path.dropFirst($0.count)) }
        }
    }

    /// Opens the file as the present user; returns the descriptor or a negative errno.
    private func openHere(_ path: String) -> CInt {
        // Without O_NONBLOCK, a pipe without a reader would block.
        let flags = O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let access = self == .keyLog ? O_RDONLY : O_WRONLY | O_APPEND
        let descriptor = Glibc.open(path, flags | access, self == .log ? 0o666 : 0o600)
        guard descriptor >= 0 else { return -errno }
        guard self != .keyLog else { return descriptor }
        var facts = stat()
        if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG {
            _ = ftruncate(descriptor, 0)
            if self == .capture { _ = fchmod(descriptor, 0o600) }
        }
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
        return descriptor
    }
}
