// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A part of the kernel that may be absent.
public enum KernelFeature: String, CaseIterable, Sendable {
    /// The network emulator, sch_netem.
    case netem
    /// The token bucket filter, sch_tbf.
    case tokenBucket = "tbf"
    /// The device that carries a lane, ifb.
    case ifb
    /// The action that redirects packets, act_mirred.
    case mirred
}

extension RouteConnection {
    /// Whether the kernel has `feature`. Has it load the module, and changes nothing.
    ///
    /// - Throws: EPERM where the process may not change this network; never for `mirred`.
    public func has(_ feature: KernelFeature) throws(NetlinkError) -> Bool {
        let request =
            switch feature {
            case .netem, .tokenBucket: Qdisc.probe(kind: feature.rawValue)
            case .ifb: LinkRequest.probe(kind: "ifb")
            case .mirred: Mirred.probe()
            }
        do {
            try perform(request)
        } catch {
            switch error.code {
            case ENOENT, EOPNOTSUPP: return false
            // The kernel knows the kind, and the request lacks what the kind needs.
            case EINVAL, EEXIST: return true
            // Actions by themselves are for the first user namespace only (tc_ctl_action in act_api.c), those of a
            // filter for every one: there only the filter can tell.
            case EPERM where feature == .mirred: return true
            default: throw error
            }
        }
        return true
    }
}
