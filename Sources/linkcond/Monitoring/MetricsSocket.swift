// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The unix socket that metrics are served at: made where there is none, and removed at the end.
struct MetricsSocket {
    let path: String
    private let identity: Identity

    /// Device and inode.
    private struct Identity: Equatable {
        let device: UInt
        let inode: UInt
    }

    /// Takes over the socket that was just bound at `path`.
    init?(bound path: String) {
        guard let found = Self.look(at: path) else { return nil }
        (self.path, identity) = (path, found.identity)
    }

    /// Removes the socket, unless another process has put something else in its place.
    func remove() {
        if Self.look(at: path)?.identity == identity { unlink(path) }
    }

    /// Makes room at `path`: removes a socket of this user's that no process serves any more, as a process that was
    /// killed leaves it. Throws for anything else that is there.
    static func makeRoom(at path: String) throws {
        guard let found = look(at: path) else { return }
        func refusal(_ status: Failure.Status, _ reason: String) -> Failure {
            Failure(status, "cannot serve metrics at \(path): \(reason)\ntry: another path after unix:")
        }
        guard found.isSocket else { throw refusal(.unavailable, "the file is no socket") }
        guard found.owner == geteuid() else { throw refusal(.notPermitted, "the socket belongs to uid \(found.owner)") }
        guard !isServed(path) else { throw refusal(.busy, "another process serves this socket") }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw refusal(.inputOutput, "cannot remove the old socket: \(String(cString: strerror(errno)))")
        }
    }

    private static func look(at path: String) -> (identity: Identity, isSocket: Bool, owner: uid_t)? {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return nil }
        let identity = Identity(device: UInt(facts.st_dev), inode: UInt(facts.st_ino))
        return (identity, facts.st_mode & S_IFMT == S_IFSOCK, facts.st_uid)
    }

    /// Whether a process listens there, or might.
    private static func isServed(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isShort = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
        guard isShort, descriptor >= 0 else { return true }
        defer { close(descriptor) }
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 || errno != ECONNREFUSED
    }
}
