// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// Where mirrors listen: at abstract names of unix(7), which belong to the network of the device and end with the
/// process. A random number at the end keeps other users from taking a name first.
enum MirrorAddress {
    private static let prefix = "linkcond-mirror/"

    /// Opens the socket of the mirror `name`: a descriptor, or a negative errno.
    static func listen(_ name: String) -> CInt {
        lc_listen_abstract(prefix + "\(name)/" + String(UInt64.random(in: .min ... .max), radix: 16))
    }

    /// Connects to each mirror of the network of the calling thread, or to those called `name`. The sockets are the
    /// caller's; their other ends are root's or this user's.
    static func connections(_ name: String? = nil) throws(MirrorError) -> [(name: String, socket: CInt)] {
        let wanted = name.map { prefix + "\($0)/" } ?? prefix
        let names = try MirrorError.catching { try UnixListeners.names(beginningWith: wanted) }
        return names.sorted().compactMap { address in
            let socket = lc_connect_abstract(address)
            guard socket >= 0 else { return nil }
            guard isTrusted(socket) else {
                close(socket)
                return nil
            }
            return (address.split(separator: "/").dropFirst().first.map(String.init) ?? "", socket)
        }
    }

    /// Whether the process at the other end is root's or this user's.
    static func isTrusted(_ socket: CInt) -> Bool {
        [0, geteuid()].contains(lc_peer(socket).user)
    }

    /// Limits how long the caller waits for the other end.
    static func limitWaits(_ socket: CInt, seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }
}

/// A request to a mirror's process: one byte.
enum MirrorRequest: UInt8 {
    /// Answered by a report as JSON, and the end of the connection.
    case report = 0x72
    /// Answered by the end of the connection once the device is deleted; to another user, by a report.
    case stop = 0x73
}
