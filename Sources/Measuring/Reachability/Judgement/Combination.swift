// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Combines the verdicts on a target's addresses, as seen by a client that tries all of them (RFC 8305).
enum Combination {
    struct Part {
        var family: IPAddress.Family?
        var verdict: PathVerdict
    }

    /// The combined state and reason; `reachable` is replaced by `degraded` if one address family is broken.
    static func judge(_ parts: [Part]) -> (state: PathVerdict.State, reason: Reason?) {
        let up = parts.filter { $0.verdict.isReachable }
        if let best = up.first(where: { $0.verdict.state == .reachable }) ?? up.first {
            if let broken = brokenFamily(parts), best.verdict.state == .reachable { return (.degraded, broken) }
            return (best.verdict.state, best.verdict.reason)
        }
        // An address without a verdict may still answer.
        if let unknown = parts.first(where: { !$0.verdict.state.isDown }) {
            return (unknown.verdict.state, unknown.verdict.reason)
        }
        // The failure that is nearest to the service says most about the target.
        guard let furthest = parts.max(by: { progress($0) < progress($1) }) else { return (.unknown, nil) }
        return (furthest.verdict.state, furthest.verdict.reason)
    }

    private static func progress(_ part: Part) -> Int {
        part.verdict.reason.map { Reason.Scope.allCases.firstIndex(of: $0.scope) ?? 0 } ?? 0
    }

    /// Finds a family to which this host has a path, but none of whose addresses answers: clients lose time on each.
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
