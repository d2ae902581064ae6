// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
package import Glibc
internal import InternetAddresses

/// The other end of a TCP connection within this host. The kernel tells its user by the list of sockets only:
/// SO_PEERCRED is for unix sockets.
package enum LocalPeer {
    /// The maximum size of the list in bytes.
    private static let longest = 64 << 20

    /// The user that made the other end of a connection; nil if that is closed, or is not in the calling thread's
    /// network.
    package static func user(of connection: CInt) -> uid_t? {
        var (local, remote) = (lc_address(), lc_address())
        guard lc_local_address(connection, &local) == 0, lc_remote_address(connection, &remote) == 0 else { return nil }
        var user: uid_t?
        // An IPv6 socket may be connected to an IPv4 address.
        for name in local.length == 4 ? ["tcp", "tcp6"] : ["tcp6"] where user == nil {
            let path = "/proc/thread-self/net/\(name)"
            guard let text = try? SmallFile.read(path, followsLinks: true, limit: longest) else { continue }
            SocketTable.read(text, [.established]) { row in
                let (own, other) = (row.entry.remote, row.entry.local)
                guard own.port == local.port, other.port == remote.port else { return }
                if own.address?.bytes == local.content, other.address?.bytes == remote.content { user = row.user }
            }
        }
        return user
    }
}

extension lc_address {
    /// The bytes of the address.
    fileprivate var content: [UInt8] { withUnsafeBytes(of: bytes) { Array($0.prefix(Int(length))) } }
}
