// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// The settings that make a new network namespace behave like the host's.
struct NetworkSettings {
    /// The ephemeral ports of every sandbox: the dynamic ports of RFC 6335, so that a port mostly shows which side is
    /// the client, and enough for 10,000 connections to one server.
    static let ephemeralPorts: ClosedRange<UInt16> = 49152...65535
    /// The MTU of most links.
    static let mtu: UInt32 = 1500
    /// Default ports of servers within the range of ephemeral ports: those of ActiveMQ. They are reserved, so that no
    /// client occupies them before the server listens.
    private static let servicePorts = "61613-61614,61616"

    /// The host's settings that a new namespace does not inherit.
    private let inherited: [(setting: ProcFile, value: String)]
    /// The host's reserved ports, which no client gets as its ephemeral port.
    private let reservedPorts: String

    /// Reads the host's settings. Must be called before the namespace is entered.
    static func ofHost() -> NetworkSettings {
        let paths = [
            "ipv4/ip_unprivileged_port_start", "ipv6/conf/all/disable_ipv6", "ipv6/conf/default/disable_ipv6",
            // The kernel derives these from the size of the network's table of sockets.
            "ipv4/tcp_max_tw_buckets", "ipv4/tcp_max_syn_backlog",
        ]
        let settings = paths.map { ProcFile("/proc/sys/net/\($0)") }
        return NetworkSettings(
            inherited: settings.compactMap { setting in setting.firstLine.map { (setting, $0) } },
            reservedPorts: ProcFile("/proc/sys/net/ipv4/ip_local_reserved_ports").firstLine ?? ""
        )
    }

    /// Whether new interfaces of the network that this process is in have IPv6.
    static var hasIPv6: Bool { ProcFile("/proc/sys/net/ipv6/conf/default/disable_ipv6").firstLine == "0" }

    /// Sets up the namespace that this process is in.
    func apply(_ connection: RouteConnection, hasUserNamespace: Bool) throws(SandboxError) {
        for (setting, value) in inherited where setting.firstLine != value {
            try onSystem(setting.write(value))
        }
        // The sandbox's links have no other host, and duplicate address detection would delay IPv6 by seconds.
        let detection = ProcFile("/proc/sys/net/ipv6/conf/default/accept_dad")
        if detection.firstLine != nil { try onSystem(detection.write("0")) }
        let ports = Self.ephemeralPorts
        let range = ProcFile("/proc/sys/net/ipv4/ip_local_port_range")
        try onSystem(range.write("\(ports.lowerBound) \(ports.upperBound)"))
        let reserved = ProcFile("/proc/sys/net/ipv4/ip_local_reserved_ports")
        let known = [reservedPorts, Self.servicePorts].filter { !$0.isEmpty }.joined(separator: ",")
        if FileIdentity(reserved.path) != nil { try onSystem(reserved.write(known)) }
        // A sandbox has half as many ephemeral ports as a host: ports in TIME_WAIT are reused after a second
        // (ip-sysctl.rst), as on loopback.
        let reuse = ProcFile("/proc/sys/net/ipv4/tcp_tw_reuse")
        if reuse.firstLine != nil { try onSystem(reuse.write("1")) }
        // The groups that may use unprivileged ping sockets. A user namespace, ours or an outer one, may map only one
        // group: then no other group can be named.
        let groups = ProcFile("/proc/sys/net/ipv4/ping_group_range")
        if hasUserNamespace || (try? groups.write("0 \(Int32.max)")) == nil {
            try onSystem(groups.write("\(getegid()) \(getegid())"))
        }
        try connection.performing(LinkRequest.bringUp("lo"))
    }
}
