// SPDX-License-Identifier: Apache-2.0

import Glibc
import InternetAddresses

/// Maps the kernel's error numbers to findings and reasons; no other code does. The meaning depends on the call that
/// failed, and on the time since the probe was sent.
package enum KernelAnswer {
    /// Interprets the error of a call to send or connect, which comes from this host's routes
    /// (net/ipv4/fib_semantics.c, fib_props).
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
        // The kernel knows the path MTU from an earlier ICMP error (ip_append_data).
        case EMSGSIZE: .failed(.tooBig)
        default: .nothing(other(number))
        }
    }

    /// The time that separates a router's error from a failure of address resolution on this host. The latter comes
    /// three seconds after the first of three requests (mcast_solicit, retrans_time of arp(7)), a router's error
    /// earlier. The value lies between the third request and the failure.
    static let neighbourWait = Duration.milliseconds(2500)

    /// Interprets an error that a socket reports some time after the call. An ICMP error would be more precise, but
    /// there is none.
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

    /// Interprets the error of a call that creates a socket for an address.
    static func socket(_ number: Int32, to address: IPAddress?) -> Observation.Finding {
        number == EACCES ? .nothing(.permission) : atOnce(number, to: address)
    }

    /// Interprets the result of connect(2) with a unix socket; 0 is success.
    static func unixSocket(_ number: Int32, after elapsed: Duration) -> Observation.Finding {
        switch number {
        case 0: .answered(elapsed)
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: .impossible(.socketMissing)
        case ECONNREFUSED: .failed(.refused)
        case EACCES: .nothing(.permission)
        default: .nothing(own(number) ?? other(number))
        }
    }

    /// Interprets the error of a route lookup (RTM_GETROUTE): the errors of `fib_props` and of IPv6's
    /// `ip6_rt_type_to_error`; nil for a failure that does not concern the target.
    ///
    /// - Parameter hasText: whether the kernel added an error text, as it does if the request itself is invalid.
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

    /// Whether the address is link-local, but lacks the interface without which it is ambiguous.
    static func lacksScope(_ address: IPAddress) -> Bool {
        address.family == .ipv6 && address.isLinkLocal && address.scope == 0
    }

    /// The reason if the error concerns this host or process rather than the target; nil for other errors.
    static func own(_ number: Int32) -> Reason? {
        switch number {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EADDRINUSE, EAGAIN: .resources
        // netfilter returns EPERM for a packet that the OUTPUT chain drops.
        case EPERM: .permission
        default: nil
        }
    }

    /// The reason for an errno that is not listed above.
    private static func other(_ number: Int32) -> Reason { Reason(.monitor, "errno\(number)") }
}
