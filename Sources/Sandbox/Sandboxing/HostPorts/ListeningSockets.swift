// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import InternetAddresses
internal import LinuxSystem

/// The ports that are reachable at each loopback address of a network namespace.
struct ListeningSockets: Hashable, Sendable {
    private var found: [HostPort: Set<LoopbackAddress>] = [:]

    init() {}

    /// Adds the sockets in the text of /proc/net/tcp, tcp6, udp or udp6: proc(5).
    mutating func add(_ text: String, _ transport: HostPort.Transport) {
        var entries: [SocketTable.Entry] = []
        // An unconnected UDP socket has the state of a closed TCP socket.
        SocketTable.read(Array(text.utf8), [transport == .tcp ? .listening : .closed], into: &entries)
        for local in entries.map(\.local) where local.port > 0 {
            let addresses = local.address.map(Self.loopback) ?? []
            if !addresses.isEmpty {
                found[HostPort(port: local.port, transport: transport), default: []].formUnion(addresses)
            }
        }
    }

    mutating func dropIPv6() {
        found = found.mapValues { $0.subtracting([.v6]) }.filter { !$0.value.isEmpty }
    }

    /// The loopback addresses at which `port` is reachable.
    func addresses(of port: HostPort) -> [LoopbackAddress] { found[port, default: []].sorted() }

    /// The TCP ports that are reachable at any loopback address.
    var tcpPorts: [HostPort] {
        found.keys.filter { $0.transport == .tcp }.sorted { $0.port < $1.port }
    }

    /// The loopback addresses at which a socket that is bound to this address answers.
    private static func loopback(_ address: IPAddress) -> Set<LoopbackAddress> {
        let (isIPv4, bytes) = (address.family == .ipv4, address.bytes)
        // The file does not show whether an IPv6 socket accepts IPv4 as well (IPV6_V6ONLY); most do.
        if address.isUnspecified { return isIPv4 ? [.v4] : [.v4, .v6] }
        guard address.isLoopback else { return [] }
        return [isIPv4 ? .v4(bytes[1], bytes[2], bytes[3]) : .v6]
    }
}

extension ListeningSockets {
    /// The sockets of the calling thread's network namespace, or of that of `process`. Throws if /proc cannot be read.
    static func current(of process: pid_t? = nil) throws(SandboxError) -> ListeningSockets {
        let directory = "/proc/\(process.map { "\($0)" } ?? "thread-self")/net"
        try checked(access("\(directory)/tcp", R_OK), "read \(directory)/tcp")
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
package enum LoopbackServices {
    /// The TCP ports that have a listener; empty if /proc cannot be read.
    package static func ports() -> [UInt16] {
        ((try? ListeningSockets.current())?.tcpPorts ?? []).map(\.port)
    }
}
