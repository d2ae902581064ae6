// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A part of the kernel that may be missing.
package enum KernelFeature: String, CaseIterable, Sendable {
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
    /// Returns whether the kernel has `feature`. Loads the kernel module if necessary. Changes nothing else, except in
    /// a user namespace: there, an action that is not loaded is tried in a filter on loopback.
    ///
    /// - Throws: EPERM if the process may not change this network; or the error that prevents trying an action.
    package func has(_ feature: KernelFeature) throws(NetlinkError) -> Bool {
        let request =
            switch feature {
            case .netem, .tokenBucket, .priorityBands: Qdisc.probe(kind: feature.rawValue)
            case .ifb: LinkRequest.probe(kind: feature.rawValue)
            case .mirred, .police: Request.probe(action: feature.rawValue)
            }
        do {
            return try isKnown(request)
        } catch {
            // Only the initial user namespace may make an action outside a filter (tc_ctl_action in act_api.c).
            guard error.code == EPERM, [.mirred, .police].contains(feature), mayChange else { throw error }
            if isLoaded(action: feature.rawValue) { return true }
            return try withHook { () throws(NetlinkError) in
                // Check the classifier first: without it, the error would be the same as without the action.
                if let error = failure(of: Request.probe(filter: "bpf")), error.code != EINVAL { throw error }
                return try isKnown(Request.probe(filter: "bpf", action: feature.rawValue))
            }
        }
    }

    /// Whether the kernel has a kind of filter, which is tried on loopback. Loopback must be free of conditions.
    package func has(filter kind: String) throws(NetlinkError) -> Bool {
        try withHook { () throws(NetlinkError) in try isKnown(Request.probe(filter: kind)) }
    }

    /// Whether the kernel has a kind of interface. Loads its module if necessary.
    package func hasLinks(ofKind kind: String) throws(NetlinkError) -> Bool {
        try isKnown(LinkRequest.probe(kind: kind))
    }

    /// Whether this process may change this network.
    package var mayChange: Bool {
        // The kernel checks the permission before it finds that the request names no device.
        let request = Request("look for the permission", type: Int(RTM_DELLINK), flags: NLM_F_ACK) {
            $0.append(ifinfomsg())
        }
        return failure(of: request)?.code != EPERM
    }

    /// Performs `request`; returns the error, or nil if there is none.
    private func failure(of request: Request) -> NetlinkError? {
        do {
            try perform(request)
            return nil
        } catch {
            return error
        }
    }

    /// Adds clsact to loopback, unless it has one, runs `body`, and deletes it again.
    private func withHook<Result>(_ body: () throws(NetlinkError) -> Result) throws(NetlinkError) -> Result {
        let hook = Qdisc.clsact(on: Request.loopback)
        if let error = failure(of: hook.add(on: "lo")) {
            // Loopback already has clsact, of another process: leave it in place.
            guard error.code == EEXIST else { throw error }
            return try body()
        }
        let result: Result
        do {
            result = try body()
        } catch {
            try? perform(hook.delete(from: "lo"))
            throw error
        }
        try perform(hook.delete(from: "lo"))
        return result
    }

    /// Whether the kernel has the object of `probe`, a request that always fails.
    private func isKnown(_ probe: Request) throws(NetlinkError) -> Bool {
        guard let error = failure(of: probe) else { return true }
        switch error.code {
        case ENOENT, EOPNOTSUPP: return false
        // The kernel knows the kind, and rejects the request because its options are missing.
        case EINVAL, EEXIST: return true
        default: throw error
        }
    }

    /// Whether the kernel has an action without loading its module; any process may ask.
    private func isLoaded(action: String) -> Bool {
        // ENOENT: the action is known but has no such instance. For an unknown action, the error is EINVAL.
        let error = failure(of: Request.lookup(action: action))
        return error == nil || error?.code == ENOENT
    }
}
