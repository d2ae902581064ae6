// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Combines the verdicts on a target's addresses, as a client that tries all of them (RFC 8305) would see it.
enum Combination {
    struct Part {
        var family: IPAddress.Family?
        var verdict: PathVerdict
    }

    /// State and reason; the target is `reachable` only if no address family is broken on the way.
    static func judge(_ parts: [Part]) -> (state: PathVerdict.State, reason: Reason?) {
        let up = parts.filter { $0.verdict.isReachable }
        if let best = up.first(where: { $0.verdict.state == .reachable }) ?? up.first {
            if let broken = brokenFamily(parts), best.verdict.state == .reachable { return (.degraded, broken) }
            return (best.verdict.state, best.verdict.reason)
        }
        // An address that is not judged yet may still answer.
        if let unknown = parts.first(where: { !$0.verdict.state.isDown }) {
            return (unknown.verdict.state, unknown.verdict.reason)
        }
        // The attempt that came furthest says most about the target.
        guard let furthest = parts.max(by: { progress($0) < progress($1) }) else { return (.unknown, nil) }
        return (furthest.verdict.state, furthest.verdict.reason)
    }

    private static func progress(_ part: Part) -> Int {
        part.verdict.reason.map { Reason.Scope.allCases.firstIndex(of: $0.scope) ?? 0 } ?? 0
    }

    /// A family none of whose addresses answers although this host has a path to it: clients lose time on each.
    private static func brokenFamily(_ parts: [Part]) -> Reason? {
        for family in IPAddress.Family.allCases {
            let own = parts.filter { $0.family == family }
            if !own.isEmpty, own.allSatisfy({ $0.verdict.state.isDown && $0.verdict.reason?.scope != .local }) {
                return .familyBroken
            }
        }
        return nil
    }
}
