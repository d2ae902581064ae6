// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// An established TCP connection of this network, from /proc/net/tcp and tcp6, proc(5).
struct TCPConnection: Hashable {
    /// The other end.
    let remote: IPAddress
    let remotePort: UInt16
    /// The inode of the socket.
    let inode: String

    /// All established connections.
    ///
    /// - Parameter root: the directory that holds `proc`.
    static func established(under root: String = "") -> [TCPConnection] {
        ["tcp", "tcp6"].flatMap { table in
            ProcFile("\(root)/proc/net/\(table)").lines.dropFirst().compactMap { TCPConnection($0) }
        }
    }

    /// Reads a line of the table; nil for one that is not established.
    private init?(_ line: String) {
        let fields = line.split(separator: " ")
        guard fields.count > 9, fields[3] == "01" else { return nil }
        let end = fields[2].split(separator: ":")
        guard end.count == 2, let port = UInt16(end[1], radix: 16) else { return nil }
        // The address is printed as 32-bit words, each in the byte order of the machine.
        let digits = Array(end[0].utf8)
        guard digits.count == 8 || digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 8) {
            guard let word = UInt32(String(decoding: digits[start..<start + 8], as: UTF8.self), radix: 16) else {
                return nil
            }
            withUnsafeBytes(of: word) { bytes += $0 }
        }
        // An IPv6 socket's IPv4 peer: RFC 4291, section 2.5.5.2.
        if bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10...11] == [255, 255] {
            bytes.removeFirst(12)
        }
        guard let remote = IPAddress(bytes: bytes) else { return nil }
        self.remote = remote
        remotePort = port
        inode = String(fields[9])
    }
}
