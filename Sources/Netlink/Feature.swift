// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A part of the kernel that may be missing.
public enum KernelFeature: String, CaseIterable, Sendable {
    /// The network emulator, sch_netem.
    case netem
    /// The token bucket filter, sch_tbf.
    case tokenBucket = "tbf"
    /// The priority qdisc, sch_prio.
    case priorityBands = "prio"
    /// The action that limits packets to a rate, act_police.
    case police
    /// The intermediate functional block device, ifb.
    case ifb
    /// The action that redirects packets, act_mirred.
    case mirred
}

extension RouteConnection {
    /// Returns whether the kernel has `feature`. Loads the kernel module if necessary; changes nothing else.
    ///
    /// - Throws: EPERM if the process may not change this network, except for actions.
    public func has(_ feature: KernelFeature) throws(NetlinkError) -> Bool {
        let request =
            switch feature {
            case .netem, .tokenBucket, .priorityBands: Qdisc.probe(kind: feature.rawValue)
            case .ifb: LinkRequest.probe(kind: "ifb")
            case .mirred: Mirred.probe()
            case .police: Policer.probe()
            }
        do {
            try perform(request)
        } catch {
            switch error.code {
            case ENOENT, EOPNOTSUPP: return false
            // The kernel knows the kind, and rejects the request because its options are missing.
            case EINVAL, EEXIST: return true
            // Only the first user namespace may make an action outside a filter (tc_ctl_action in act_api.c). In
            // other namespaces, adding the filter shows whether the action exists.
            case EPERM where feature == .mirred || feature == .police: return true
            default: throw error
            }
        }
        return true
    }
}
