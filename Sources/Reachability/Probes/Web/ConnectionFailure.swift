// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Evidence.Finding {
    /// Neighbours are given up after three requests, one a second (neighbour: mcast_solicit, retrans_time); routers
    /// answer in less, unless they wait for a neighbour of their own.
    private static let neighbourWait = Duration.milliseconds(2500)

    /// Finds what an error of connect(2) or of an open connection says about the target.
    ///
    /// - Parameters:
    ///   - errorNumber: as in errno(3).
    ///   - atOnce: whether connect(2) itself failed, so that no packet was sent: the kernel's own routes say so.
    ///   - elapsed: how long after connect(2) it came.
    static func connectionFailure(_ errorNumber: Int32, atOnce: Bool, after elapsed: Duration) -> Evidence.Finding {
        switch errorNumber {
        case ECONNREFUSED: .failed(.refused)
        case ECONNRESET, EPIPE, ECONNABORTED: .failed(.reset)
        case ETIMEDOUT: .failed(.blackHole)
        case ENETUNREACH: atOnce ? .impossible(.noRoute) : .failed(.netUnreachable)
        case EHOSTUNREACH where atOnce: .impossible(.routeUnreachable)
        case EHOSTUNREACH: .failed(elapsed >= neighbourWait ? .neighbourUnresolved : .hostUnreachable)
        case EACCES where atOnce: .impossible(.routeProhibited)
        // What ICMPv6 forbids, too (icmpv6_err_convert).
        case EACCES: .failed(.adminProhibited)
        case EINVAL: .impossible(.routeBlackhole)
        case ENETDOWN: .impossible(.adminDown)
        // The family is switched off in this kernel.
        case EAFNOSUPPORT: .impossible(.noAddress)
        // netfilter, seccomp or a security module on this host.
        case EPERM: .nothing(.permission)
        // EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EAGAIN and whatever else no target can bring about.
        default: .nothing(.resources)
        }
    }
}
