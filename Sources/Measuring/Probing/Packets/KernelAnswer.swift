// SPDX-License-Identifier: Apache-2.0

import Glibc
import InternetAddresses

/// The meanings of the kernel's error numbers: the only place where an errno becomes a reason. It depends on the call,
/// and on the time that has passed since.
package enum KernelAnswer {
    /// The error of a call that sends or connects: this host's routes have decided (net/ipv4/fib_semantics.c, fib_props).
    static func atOnce(_ number: Int32, to address: IPAddress?) -> Observation.Finding {
        if let own = own(number) { return .nothing(own) }
        return switch number {
        case ENETUNREACH: .impossible(.noRoute)
        case EHOSTUNREACH: .impossible(.routeUnreachable)
        case EACCES: .impossible(.routeProhibited)
        case EINVAL: .impossible(address.map(lacksScope) == true ? .scopeMissing : .routeBlackhole)
        case ENETDOWN: .impossible(.adminDown)
        case ENODEV, ENXIO: .impossible(.interfaceMissing)
        case EAFNOSUPPORT, EPROTONOSUPPORT: .impossible(.familyUnsupported)
        case ECONNREFUSED: .failed(.refused)
        // The path's MTU is known from an earlier ICMP error (ip_append_data).
        case EMSGSIZE: .failed(.tooBig)
        default: .nothing(other(number))
        }
    }

    /// Address resolution fails three seconds after the first of its three requests (mcast_solicit, retrans_time of
    /// arp(7)), and routers answer sooner. The boundary lies between the third request and the failure.
    static let neighbourWait = Duration.milliseconds(2500)

    /// The error of a socket, some time after the call, without an ICMP error, which would be more precise.
    static func later(_ number: Int32, after elapsed: Duration) -> Observation.Finding {
        if let own = own(number) { return .nothing(own) }
        return switch number {
        case ECONNREFUSED, ENOPROTOOPT, EPROTO: .failed(.refused)
        case ECONNRESET, EPIPE, ECONNABORTED: .failed(.reset)
        case ENETUNREACH: .failed(.netUnreachable)
        case EHOSTUNREACH, EHOSTDOWN: .failed(elapsed < neighbourWait ? .hostUnreachable : .neighbourUnresolved)
        case EACCES: .failed(.adminProhibited)
        case EMSGSIZE: .failed(.tooBig)
        case ETIMEDOUT: .failed(.blackHole)
        case ENETDOWN: .impossible(.adminDown)
        default: .nothing(other(number))
        }
    }

    /// The error of socket(2), which makes no socket for an address.
    static func socket(_ number: Int32, to address: IPAddress?) -> Observation.Finding {
        number == EACCES ? .nothing(.permission) : atOnce(number, to: address)
    }

    /// The error of connect(2) with a unix socket, or zero for success.
    static func unixSocket(_ number: Int32, after elapsed: Duration) -> Observation.Finding {
        switch number {
        case 0: .answered(elapsed)
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: .impossible(.socketMissing)
        case ECONNREFUSED: .failed(.refused)
        case EACCES: .nothing(.permission)
        default: .nothing(own(number) ?? other(number))
        }
    }

    /// The error of a route lookup (RTM_GETROUTE): the errors of `fib_props` and of IPv6's `ip6_rt_type_to_error`; nil
    /// for a failure that is not about the target.
    ///
    /// - Parameter hasText: Whether the kernel added a text, as it does when the request itself is invalid.
    package static func routeLookup(_ number: Int32, hasText: Bool) -> Reason? {
        switch number {
        case ENETUNREACH: .noRoute
        case EHOSTUNREACH: .routeUnreachable
        case EACCES: .routeProhibited
        case EINVAL where !hasText: .routeBlackhole
        case ENODEV: .interfaceMissing
        default: nil
        }
    }

    /// Whether the address means nothing without an interface.
    static func lacksScope(_ address: IPAddress) -> Bool {
        address.family == .ipv6 && address.isLinkLocal && address.scope == 0
    }

    /// A failure of this host or process that has nothing to do with the target; nil for any other.
    static func own(_ number: Int32) -> Reason? {
        switch number {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EADDRINUSE, EAGAIN: .resources
        // netfilter's answer to a packet that its OUTPUT chain drops.
        case EPERM: .permission
        default: nil
        }
    }

    /// An errno without a reason of its own.
    private static func other(_ number: Int32) -> Reason { Reason(.monitor, "errno\(number)") }
}
