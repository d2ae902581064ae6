// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
public import Netlink

/// Prevents conditions that cut the user's own SSH connection.
public struct SSHLockoutGuard {
    /// The connection; nil if there is none.
    let connection: SSHConnection?
    /// The interface with its local address, and those below: a bridge's or bond's members, a VLAN's device.
    private let carriers: Set<String>

    /// Finds the connection of this process. The thread must be in the network that is about to be changed: a
    /// connection that ends in another one is not affected.
    public static func current(isHome: Bool, _ network: RouteConnection) -> SSHLockoutGuard {
        let connection = Session.connection()
        let interface = connection.flatMap { LocalAddress.interface(of: $0.local) }
        // An address that no interface has was translated (NAT).
        let isHidden = connection != nil && isHome
        let top = interface ?? (isHidden ? defaultRouteInterface(network) : nil)
        return SSHLockoutGuard(connection: connection, carriers: top.map { Self.below($0, network) } ?? [])
    }

    private static func defaultRouteInterface(_ network: RouteConnection) -> String? {
        guard let index = try? network.defaultRouteInterface(.ipv4) else { return nil }
        return try? network.links().first { $0.index == index }?.name
    }

    private static func below(_ interface: String, _ network: RouteConnection) -> Set<String> {
        let links = (try? network.linkStatuses()) ?? []
        guard let top = links.first(where: { $0.link.name == interface }) else { return [interface] }
        var found: Set<Int32> = [top.link.index]
        var size = 0
        while found.count > size {
            size = found.count
            for status in links {
                // A veth's peer is not below it: either may be in its own bridge.
                if let master = status.master, found.contains(master) { found.insert(status.link.index) }
                if found.contains(status.link.index), status.link.kind != "veth", status.lowerNamespace == nil,
                    let lower = status.lower
                {
                    found.insert(lower)
                }
            }
        }
        return Set(links.filter { found.contains($0.link.index) }.map(\.link.name))
    }

    /// The traffic without the connection, and a note for the user; unchanged if the interface does not carry it.
    ///
    /// - Throws: `invalidRequest` if there is no SSH connection.
    public func keeping(
        _ selection: Selection,
        on device: String
    ) throws(ConditioningError) -> (selection: Selection, note: String?) {
        guard let connection else {
            throw ConditioningError(.invalidRequest, "--keep-ssh: this process has no SSH connection")
        }
        guard carriers.contains(device), selection.includes(connection) else { return (selection, nil) }
        var selection = selection
        guard selection.exclusions.add("port", String(connection.peerPort)) else { return (selection, nil) }
        return (selection, "keeping \(describe(connection)): port \(connection.peerPort) is not conditioned")
    }

    /// Throws if the conditions would cut the connection, so that the user could not remove them.
    public func check(
        _ request: RuleRequest,
        on device: String,
        remedy: String = "linkcond apply with --keep-ssh, or --confirm 30s, or --for 10m"
    ) throws(ConditioningError) {
        guard let connection, carriers.contains(device), request.selection.includes(connection),
            let reason = request.profile.lockoutReason
        else { return }
        throw ConditioningError(
            .unsupported,
            "\"\(request.profile.name)\" would cut \(describe(connection)), which \(device) carries: \(reason)",
            remedy: remedy
        )
    }

    private func describe(_ connection: SSHConnection) -> String {
        "the SSH connection of process \(connection.processID) with \(connection.peer) port \(connection.peerPort)"
    }
}

/// The session that this process is in.
private enum Session {
    /// The connection in the environment of this process or an ancestor: sudo(8) removes the variable.
    static func connection() -> SSHConnection? {
        if let value = getenv("SSH_CONNECTION") {
            return SSHConnection(String(cString: value), processID: getpid())
        }
        var process = getppid()
        for _ in 0..<64 where process > 1 {
            for variable in ProcessEnvironment.variables(of: process) where variable.hasPrefix("SSH_CONNECTION=") {
                return SSHConnection(String(variable.dropFirst("SSH_CONNECTION=".count)), processID: process)
            }
            guard let parent = ProcessStatus(process)?.parent else { return nil }
            process = parent
        }
        return nil
    }
}

/// The addresses of this network's interfaces: getifaddrs(3).
private enum LocalAddress {
    /// The interface that has `address`.
    static func interface(of address: AddressPrefix) -> String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let socket = entry.pointee.ifa_addr, text(socket) == address.description else { continue }
            return String(cString: entry.pointee.ifa_name)
        }
        return nil
    }

    private static func text(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let family = Int32(address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        let offset = family == AF_INET ? 4 : 8
        var buffer = [CChar](repeating: 0, count: 64)
        inet_ntop(family, UnsafeRawPointer(address) + offset, &buffer, socklen_t(buffer.count))
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
