// SPDX-License-Identifier: Apache-2.0

package import CLinuxCalls
import Glibc
package import LinuxSystem

/// Makes stream sockets for a `StreamListener`, closed on exec. They are bound, but do not listen yet.
package enum ListeningSocket {
    /// The longest path of a unix socket, in bytes: unix(7).
    package static let longestPath = 107

    /// Makes a unix socket at `path`, where no file may exist.
    ///
    /// - Throws: ENAMETOOLONG for a path that is too long for a socket's address.
    package static func bound(to path: String) throws(SystemError) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isCopied = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count <= longestPath, longestPath < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        guard isCopied else { throw SystemError(operation: "make \(path)", code: ENAMETOOLONG) }
        return try make(AF_UNIX, "make \(path)") { descriptor in
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }

    /// Makes a TCP socket at an address of this host. Connections of an earlier socket do not block its port
    /// (SO_REUSEADDR).
    package static func bound(to address: lc_address) throws(SystemError) -> CInt {
        let family = address.length == 4 ? AF_INET : AF_INET6
        return try make(family, "listen on port \(address.port)") { descriptor in
            var (on, address): (CInt, lc_address) = (1, address)
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
            return lc_bind(descriptor, &address)
        }
    }

    private static func make(
        _ family: CInt,
        _ operation: String,
        _ bind: (CInt) -> CInt
    ) throws(SystemError) -> CInt {
        let descriptor = try checked(socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0), operation)
        do {
            try checked(bind(descriptor), operation)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
