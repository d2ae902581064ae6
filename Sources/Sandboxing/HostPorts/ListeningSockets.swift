// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The ports that are reachable at each loopback address of a network namespace.
struct ListeningSockets: Hashable, Sendable {
    private var found: [HostPort: Set<LoopbackAddress>] = [:]

    /// Has none.
    init() {}

    /// Adds the sockets in the text of /proc/net/tcp, tcp6, udp or udp6: proc(5).
    mutating func add(_ text: String, _ transport: HostPort.Transport) {
        // TCP_LISTEN; and TCP_CLOSE, which is the state of an unconnected UDP socket.
        let state = transport == .tcp ? "0A" : "07"
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 4)
            guard fields.count > 3, fields[3] == state else { continue }
            let parts = fields[1].split(separator: ":")
            guard parts.count == 2, let port = UInt16(parts[1], radix: 16), port > 0,
                let bytes = Self.bytes(parts[0])
            else { continue }
            let addresses = Self.loopback(bytes)
            if !addresses.isEmpty {
                found[HostPort(port: port, transport: transport), default: []].formUnion(addresses)
            }
        }
    }

    /// Removes the IPv6 addresses.
    mutating func dropIPv6() {
        found = found.mapValues { $0.subtracting([.v6]) }.filter { !$0.value.isEmpty }
    }

    /// The loopback addresses at which `port` is reachable.
    func addresses(of port: HostPort) -> [LoopbackAddress] {
        found[port, default: []].sorted()
    }

    /// The TCP ports that are reachable at any.
    var tcpPorts: [HostPort] {
        found.keys.filter { $0.transport == .tcp }.sorted { $0.port < $1.port }
    }

    /// An address is printed as 32-bit numbers whose bytes in memory are in network order.
    private static func bytes(_ digits: Substring) -> [UInt8]? {
        guard digits.utf8.count == 8 || digits.utf8.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.utf8.count, by: 8) {
            guard let word = UInt32(digits.dropFirst(start).prefix(8), radix: 16) else { return nil }
            withUnsafeBytes(of: word) { bytes += $0 }
        }
        return bytes
    }

    /// The loopback addresses at which a socket with the address of these bytes answers.
    private static func loopback(_ bytes: [UInt8]) -> Set<LoopbackAddress> {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let isAny = bytes.allSatisfy { $0 == 0 }
        if bytes.count == 4 {
            return isAny ? [.v4] : bytes[0] == 127 ? [.v4(bytes[1], bytes[2], bytes[3])] : []
        }
        // The file does not show whether it accepts IPv4 as well (IPV6_V6ONLY); most do.
        if isAny { return [.v4, .v6] }
        if bytes.starts(with: mapped) { return loopback(Array(bytes[mapped.count...])) }
        return bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 } ? [.v6] : []
    }
}

extension ListeningSockets {
    /// The sockets of the calling thread's network namespace, or of a process's.
    ///
    /// - Throws: the reason why /proc cannot be read.
    static func current(of process: pid_t? = nil) throws(SandboxError) -> ListeningSockets {
        let directory = "/proc/\(process.map { "\($0)" } ?? "thread-self")/net"
        guard access("\(directory)/tcp", R_OK) == 0 else {
            throw SandboxError("read \(directory)/tcp", code: errno)
        }
        var sockets = ListeningSockets()
        for (name, transport) in [("tcp", .tcp), ("tcp6", .tcp), ("udp", .udp), ("udp6", .udp)]
            as [(String, HostPort.Transport)]
        {
            // A kernel without IPv6 has no files for it.
            sockets.add(ProcFile("\(directory)/\(name)").text, transport)
        }
        // With IPv6 disabled, a socket for any address does not answer at ::1.
        if !ProcFile("\(directory)/if_inet6").text.contains("00000000000000000000000000000001") { sockets.dropIPv6() }
        return sockets
    }
}

/// The services on the loopback of this network.
public enum LoopbackServices {
    /// The TCP ports that have a listener; empty if /proc cannot be read.
    public static func ports() -> [UInt16] {
        ((try? ListeningSockets.current())?.tcpPorts ?? []).map(\.port)
    }
}
