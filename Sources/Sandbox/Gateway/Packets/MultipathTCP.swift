// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
import Glibc
internal import PacketPump

/// Sockets of Multipath TCP (RFC 8684): they carry a connection over several paths if the client asks for it, and plain
/// TCP otherwise.
enum MultipathSocket {
    /// IPPROTO_MPTCP of netinet/in.h.
    private static let protocolNumber: CInt = 262

    /// Whether the kernel supports and permits such sockets: mptcp-sysctl.rst, `enabled`.
    static var isPossible: Bool {
        let socket = open(isIPv6: false)
        if socket >= 0 { close(socket) }
        return socket >= 0
    }

    /// Opens a non-blocking socket; returns its descriptor or a negative errno.
    static func open(isIPv6: Bool) -> CInt {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let result = socket(isIPv6 ? AF_INET6 : AF_INET, kind, protocolNumber)
        return result < 0 ? -errno : result
    }
}

/// The Multipath TCP request in a client's SYN.
enum MultipathRequest {
    /// A connection that may have several paths: MP_CAPABLE (RFC 8684, section 3.1).
    case connection
    /// One more path of a connection: MP_JOIN (section 3.2).
    case join
}

extension TransportPacket {
    /// The packet's request for Multipath TCP; nil for none.
    var multipathRequest: MultipathRequest? {
        guard flags.contains(.syn), !flags.contains(.ack) else { return nil }
        let kindOfMultipath: UInt8 = 30
        let segment = UnsafeRawPointer(bytes) + Int(layout.transport)
        let end = min(Int(layout.payload), layout.end) - Int(layout.transport)
        var place = 20
        while place < end {
            let kind = segment.byte(place)
            // Kind 0 ends the options, kind 1 is padding: RFC 9293, section 3.1.
            guard kind != 0 else { return nil }
            guard kind != 1 else {
                place += 1
                continue
            }
            guard place + 2 < end else { return nil }
            if kind == kindOfMultipath {
                switch segment.byte(place + 2) >> 4 {
                case 0: return .connection
                case 1: return .join
                default: return nil
                }
            }
            let length = Int(segment.byte(place + 1))
            guard length >= 2 else { return nil }
            place += length
        }
        return nil
    }
}
