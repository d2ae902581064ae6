// SPDX-License-Identifier: Apache-2.0

import Glibc
import Netlink

extension Reason {
    /// This host has no such protocol, as where IPv6 is switched off.
    public static let familyUnsupported = Reason(.local, "familyUnsupported")
    /// A link-local address without the interface that it belongs to.
    public static let scopeMissing = Reason(.local, "scopeMissing")
}

/// What an error number of the kernel says about a target, which depends on when it comes.
enum KernelAnswer {
    /// Of a call that sends or connects, at once: the routes of this host have decided (net/ipv4/fib_semantics.c,
    /// fib_props).
    static func atOnce(_ number: Int32, to address: IPAddress) -> Evidence.Finding {
        if let own = own(number) { return .nothing(own) }
        return switch number {
        case ENETUNREACH: .impossible(.noRoute)
        case EHOSTUNREACH: .impossible(.routeUnreachable)
        case EACCES: .impossible(.routeProhibited)
        case EINVAL:
            lacksScope(address) ? .impossible(.scopeMissing) : .impossible(.routeBlackhole)
        case ENETDOWN: .impossible(.adminDown)
        case ENODEV, ENXIO: .impossible(.interfaceMissing)
        case EAFNOSUPPORT, EPROTONOSUPPORT: .impossible(.familyUnsupported)
        case ECONNREFUSED: .failed(.refused)
        // The path's largest packet is known from an earlier ICMP error (ip_append_data).
        case EMSGSIZE: .failed(.tooBig)
        default: .nothing(Reason(.monitor, "errno\(number)"))
        }
    }

    /// Address resolution gives up three seconds after its first of three requests (neighbour: mcast_solicit,
    /// retrans_time; arp(7)), and routers answer in less. In between lies the third request.
    static let neighbourWait = Duration.milliseconds(2500)

    /// Of a socket, some time after the call, where no ICMP error is at hand that says more.
    static func later(_ number: Int32, after elapsed: Duration) -> Evidence.Finding {
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
        default: .nothing(Reason(.monitor, "errno\(number)"))
        }
    }

    /// Whether the address says nothing without an interface.
    static func lacksScope(_ address: IPAddress) -> Bool {
        address.family == .ipv6 && address.isLinkLocal && address.scope == 0
    }

    /// The monitor's own trouble, of which the target knows nothing.
    static func own(_ number: Int32) -> Reason? {
        switch number {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EADDRINUSE, EAGAIN: .resources
        // netfilter's answer to a packet that its OUTPUT chain drops.
        case EPERM: .permission
        default: nil
        }
    }
}
