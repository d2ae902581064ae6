// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Finds common causes of failures, once for all targets that fail together.
extension MonitorState {
    /// Also watches the gateway of a target's path, to know whether the gateway answered before it failed.
    mutating func watchGateway(of status: Status, _ now: Duration) {
        guard let target = status.path?.gatewayTarget, target != status.target, entries[target] == nil else { return }
        watch(target, now, from: now).isImplicit = true
        reconsiderGateways(now)
    }

    func known(_ target: Target) -> Status? {
        entries[target].flatMap { $0.hasAnswered ? $0.watch.status : nil }
    }

    mutating func findCauses(_ now: Duration) {
        var found: [Target: Set<Target>] = [:]
        for entry in entries.values {
            let cause = RootCause.of(entry.watch.status, among: known)
            entry.watch.status.cause = cause
            if let cause, !entry.isImplicit { found[cause, default: []].insert(entry.watch.target) }
        }
        for (cause, children) in found where causes[cause] == nil {
            events.publish(.causeFound(cause, children: ordered(children)), nil, now)
        }
        for (cause, children) in causes where found[cause] == nil {
            events.publish(.causeCleared(cause, children: ordered(children)), nil, now)
        }
        causes = found
    }

    private func ordered(_ targets: Set<Target>) -> [Target] {
        targets.sorted { entries[$0]?.number ?? 0 < entries[$1]?.number ?? 0 }
    }

    /// Suspends the judgement of the other targets while all anchors are down, since this host then counts as offline.
    mutating func judgeOffline(_ now: Duration) {
        let anchors = policy.anchors.compactMap { entries[$0] }
        guard !anchors.isEmpty else { return }
        let isOffline = anchors.allSatisfy(\.isDown)
        for entry in ordered where !entry.isImplicit && !policy.anchors.contains(entry.watch.target) {
            var step = Watch.Step(local: localQueries, now: now)
            entry.watch.suspend(isOffline, &step)
            entry.isDown = entry.watch.status.state.isDown
            for (kind, status) in step.events { events.publish(kind, status, now) }
        }
    }
}
