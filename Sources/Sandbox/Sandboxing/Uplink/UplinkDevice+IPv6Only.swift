// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// A network without IPv4: the host loses its IPv4 address, and reaches IPv4 servers through a NAT64, which the pump
/// provides.
extension UplinkDevice {
    /// The interface's IPv4 addresses and routes before the change, and the IPv6 address that was added.
    struct BeforeIPv6Only {
        var addresses: [HostAddress]
        var routes: [Route]
        /// The added IPv6 address; nil if there was one before.
        var added: HostAddress?
    }

    /// The router to the NAT64. No machine has this address.
    private static let router = IPAddress("fe80::64:ff9b")
    /// The well-known prefix of NAT64: RFC 6052, section 2.1.
    private static let prefix = IPAddress("64:ff9b::")
    /// A unique local address (RFC 4193), for hosts whose uplink has no IPv6.
    private static let ownAddress = IPAddress("fd64:ff9b::2")

    private var routeToServers: Route? {
        guard let router = Self.router, let prefix = Self.prefix else { return nil }
        return Route(to: prefix, prefixLength: 96, via: router, on: index)
    }

    /// Removes IPv4 from the network. If that fails, restores it and throws.
    func removeIPv4() throws(ConditioningError) {
        guard ProcFile("/proc/sys/net/ipv6/conf/\(name)/disable_ipv6").firstLine == "0" else {
            throw ConditioningError(
                .unsupported,
                "\"ipv6\": \"only\" needs a kernel with IPv6, and here it is disabled"
            )
        }
        let own = try ownAddresses()
        let addresses = own.filter { $0.address.family == .ipv4 }
        guard let host = addresses.first?.address, let route = routeToServers else {
            throw ConditioningError(.unsupported, "the uplink has no address of IPv4 for a NAT64")
        }
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
            try perform(RouteRequest.add(route))
            for own in addresses {
                try perform(AddressRequest.delete(own.address, prefixLength: own.prefixLength, of: index))
            }
            state.translatedAddress = host
            try resolveAsNow()
        } catch {
            // Restoring a setting that was not changed fails, which does not matter.
            try? restoreIPv4()
            throw error
        }
    }

    /// Restores IPv4: every setting that can be restored; then throws the first failure.
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
        // The interface may have got another IPv6 address since.
        attempt { () throws(ConditioningError) in
            guard before.added != nil else { return }
            for own in try ownAddresses() where own.address.family == .ipv6 {
                try perform(AddressRequest.delete(own.address, prefixLength: own.prefixLength, of: index))
                state.addresses?.removeAll { $0 == own.address }
            }
        }
        // The host's IPv4 addresses may have changed meanwhile.
        for own in before.addresses where state.addresses?.contains(own.address) == false {
            state.addresses?.append(own.address)
        }
        attempt { () throws(ConditioningError) in try resolveAsNow() }
        if let refusal { throw refusal }
    }

    /// Writes the name servers' addresses in the present network to the sandbox's resolv.conf(5).
    func resolveAsNow() throws(ConditioningError) {
        // The first uplink has the name servers.
        guard isFirst else { return }
        let isOnly = state.translatedAddress != nil
        let lines = isOnly ? NameServerLines(resolverLines).replacing(Self.synthesized) : resolverLines
        do throws(SandboxError) {
            try PrivateFiles.changeResolver(to: lines)
        } catch {
            throw ConditioningError(.refused, error.description)
        }
    }

    /// The NAT64 address of an IPv4 server; an IPv6 server's own address.
    private static func synthesized(_ server: IPAddress) -> IPAddress? {
        guard server.family == .ipv4, let prefix else { return server }
        return IPAddress(bytes: prefix.bytes.prefix(12) + server.bytes)
    }
}
