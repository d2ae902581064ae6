// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// What stands behind failures, found out once for all that fail together.
extension MonitorState {
    /// Where packets leave through a gateway, it is watched too: to know that it answered before it did not.
    mutating func watchGateway(of status: Status, _ now: Duration, _ requests: inout Requests) {
        guard let gateway = status.path?.gateway, !status.isImplicitGateway(gateway) else { return }
        let target = Target.icmp(gateway.description)
        guard numbers[target] == nil else { return }
        let number = watch(target, now, from: now, &requests)
        entries[number]?.isImplicit = true
    }

    func known(_ target: Target) -> Status? {
        numbers[target].flatMap { entries[$0] }.flatMap { $0.hasAnswered ? $0.watch.status : nil }
    }

    mutating func findCauses(_ now: Duration) {
        var found: [Target: Set<Target>] = [:]
        for (number, entry) in entries {
            let cause = RootCause.of(entry.watch.status, among: known)
            entries[number]?.watch.blame(cause)
            if let cause, !entry.isImplicit { found[cause, default: []].insert(entry.watch.target) }
        }
        for (cause, children) in found where causes[cause] == nil {
            tell(.causeFound(cause, children: children.sorted { "\($0)" < "\($1)" }), nil, now)
        }
        for (cause, children) in causes where found[cause] == nil {
            tell(.causeCleared(cause, children: children.sorted { "\($0)" < "\($1)" }), nil, now)
        }
        causes = found
    }

    /// Where none of the anchors answers, it is this host that is cut off, and nothing is known of the others.
    mutating func judgeOffline(_ now: Duration, _ requests: inout Requests) {
        let anchors = policy.anchors.compactMap { numbers[$0] }.compactMap { entries[$0] }
        guard !anchors.isEmpty else { return }
        let isOffline = anchors.allSatisfy(\.isDown)
        let local = surroundings
        for (number, entry) in entries where !policy.anchors.contains(entry.watch.target) && !entry.isImplicit {
            var effects = Watch.Effects()
            entries[number]?.watch.suspend(isOffline, local, now, &effects)
            for (kind, status) in effects.events { tell(kind, status, now) }
        }
    }
}

extension Status {
    fileprivate func isImplicitGateway(_ gateway: IPAddress) -> Bool { target == .icmp(gateway.description) }
}
