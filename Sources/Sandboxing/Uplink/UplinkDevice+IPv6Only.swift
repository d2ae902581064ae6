// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// A network without IPv4: the host loses its address, and reaches what has no other through a NAT64, which the pump is.
extension UplinkDevice {
    /// What was on the interface, and what was added to it.
    struct BeforeIPv6Only {
        var addresses: [HostAddress]
        var routes: [Route]
        /// The address of IPv6, where there was none.
        var added: HostAddress?
    }

    /// The router to the NAT64. No machine has this address, so the host is told its link-layer address.
    private static let router = IPAddress("fe80::64:ff9b")
    private static let hardwareAddress: [UInt8] = [2, 0, 0, 0x64, 0xFF, 0x9B]
    /// RFC 6052, section 2.1.
    private static let prefix = IPAddress("64:ff9b::")
    /// A unique local address (RFC 4193), for hosts whose uplink has no IPv6.
    private static let ownAddress = IPAddress("fd64:ff9b::2")

    private var routeToServers: Route? {
        guard let router = Self.router, let prefix = Self.prefix else { return nil }
        return Route(to: prefix, prefixLength: 96, via: router, on: index)
    }

    /// Makes the network one without IPv4.
    func removeIPv4() throws(ConditioningError) {
        guard ProcFile("/proc/sys/net/ipv6/conf/\(name)/disable_ipv6").firstLine == "0" else {
            throw ConditioningError(
                .unsupported,
                "\"ipv6\": \"only\" needs a kernel with IPv6, and here it is disabled"
            )
        }
        let own = try ownAddresses()
        let addresses = own.filter { $0.address.family == .ipv4 }
        guard let host = addresses.first?.address, let router = Self.router, let route = routeToServers else {
            throw ConditioningError(.unsupported, "the uplink has no address of IPv4 for a NAT64")
        }
        announce()
        var before = BeforeIPv6Only(addresses: addresses, routes: try routes(.ipv4))
        if own.count == addresses.count {
            before.added = Self.ownAddress.map { HostAddress(address: $0, prefixLength: 64) }
        }
        beforeIPv6Only = before
        do throws(ConditioningError) {
            if let added = before.added {
                try add(added.address, prefixLength: added.prefixLength)
                state.addresses?.append(added.address)
            }
            try perform(NeighbourRequest.add(router, at: Self.hardwareAddress, on: index))
            try perform(RouteRequest.add(route))
            for own in addresses {
                try perform(AddressRequest.delete(own.address, prefixLength: own.prefixLength, of: index))
            }
            state.translatedAddress = host
            try resolve(through: Self.synthesized(nameServer))
        } catch {
            // What was not changed yet cannot be restored, and its refusals mean nothing.
            try? restoreIPv4()
            throw error
        }
    }

    /// Gives the network IPv4 again: all of it that can be, then throws the first refusal.
    func restoreIPv4() throws(ConditioningError) {
        guard let before = beforeIPv6Only else { return }
        beforeIPv6Only = nil
        state.translatedAddress = nil
        var refusal: ConditioningError?
        func attempt(_ change: () throws(ConditioningError) -> Void) {
            do throws(ConditioningError) { try change() } catch { refusal = refusal ?? error }
        }
        for own in before.addresses {
            attempt { () throws(ConditioningError) in
                try add(own.address, prefixLength: own.prefixLength)
            }
        }
        for route in before.routes where route.origin != Self.kernel {
            attempt { () throws(ConditioningError) in try perform(RouteRequest.add(route)) }
        }
        attempt { () throws(ConditioningError) in
            if let route = routeToServers { try perform(RouteRequest.delete(route)) }
        }
        attempt { () throws(ConditioningError) in
            if let router = Self.router { try perform(NeighbourRequest.delete(router, on: index)) }
        }
        // It may have another one since.
        attempt { () throws(ConditioningError) in
            guard before.added != nil else { return }
            for own in try ownAddresses() where own.address.family == .ipv6 {
                try perform(AddressRequest.delete(own.address, prefixLength: own.prefixLength, of: index))
                state.addresses?.removeAll { $0 == own.address }
            }
        }
        // They were not the host's if its addresses changed meanwhile.
        for own in before.addresses where state.addresses?.contains(own.address) == false {
            state.addresses?.append(own.address)
        }
        attempt { () throws(ConditioningError) in try resolve(through: nameServer) }
        if let refusal { throw refusal }
    }

    /// Has the uplink's program learn the host's link-layer address, by the ARP request that precedes a datagram: the host
    /// answers no request of its own once it has no address of IPv4.
    private func announce() {
        guard let bytes = IPAddress(nameServer)?.bytes, bytes.count == 4 else { return }
        // The discard service.
        var server = lc_address()
        (server.bytes.0, server.bytes.1, server.bytes.2, server.bytes.3) = (bytes[0], bytes[1], bytes[2], bytes[3])
        (server.length, server.port) = (4, 9)
        let datagrams = lc_open_socket(CInt(lc_udp), 0)
        guard datagrams >= 0 else { return }
        defer { close(datagrams) }
        if lc_connect(datagrams, &server) == 0 { send(datagrams, [0], 1, 0) }
    }

    private func resolve(through nameServer: String) throws(ConditioningError) {
        do throws(SandboxError) {
            try PrivateFiles.changeResolver(to: nameServer)
        } catch {
            throw ConditioningError(.refused, error.description)
        }
    }

    /// The address by which the host reaches a server of IPv4.
    private static func synthesized(_ server: String) -> String {
        guard let prefix, let bytes = IPAddress(server)?.bytes else { return server }
        return IPAddress(bytes: prefix.bytes.prefix(12) + bytes)?.description ?? server
    }
}
