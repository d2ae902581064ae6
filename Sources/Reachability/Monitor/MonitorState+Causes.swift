// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Causes of failures, found once for all targets that fail together.
extension MonitorState {
    /// Watches the gateway of a path too, to know whether it answered before it failed.
    mutating func watchGateway(of status: Status, _ now: Duration, _ requests: inout Requests) {
        guard let target = status.path?.gatewayTarget, target != status.target, numbers[target] == nil else { return }
        let number = watch(target, now, from: now, &requests)
        entries[number]?.isImplicit = true
        reconsiderGateways(now)
    }

    func known(_ target: Target) -> Status? {
        numbers[target].flatMap { entries[$0] }.flatMap { $0.hasAnswered ? $0.watch.status : nil }
    }

    mutating func findCauses(_ now: Duration) {
        var found: [Target: Set<Target>] = [:]
        var changed: [(number: Int, cause: Target?)] = []
        for (number, entry) in entries {
            let cause = RootCause.of(entry.watch.status, among: known)
            if cause != entry.watch.status.cause { changed.append((number, cause)) }
            if let cause, !entry.isImplicit { found[cause, default: []].insert(entry.watch.target) }
        }
        for (number, cause) in changed { entries[number]?.watch.setCause(cause) }
        for (cause, children) in found where causes[cause] == nil {
            publish(.causeFound(cause, children: ordered(children)), nil, now)
        }
        for (cause, children) in causes where found[cause] == nil {
            publish(.causeCleared(cause, children: ordered(children)), nil, now)
        }
        causes = found
    }

    private func ordered(_ targets: Set<Target>) -> [Target] {
        targets.sorted { numbers[$0, default: 0] < numbers[$1, default: 0] }
    }

    /// If every anchor is down, this host counts as offline, and the judgement of other targets is suspended.
    mutating func judgeOffline(_ now: Duration) {
        let anchors = policy.anchors.compactMap { numbers[$0] }.compactMap { entries[$0] }
        guard !anchors.isEmpty else { return }
        let isOffline = anchors.allSatisfy(\.isDown)
        let local = localQueries
        for number in entries.keys.sorted() {
            guard let watch = entries[number]?.watch, watch.isSuspended != isOffline,
                !policy.anchors.contains(watch.target), entries[number]?.isImplicit == false
            else { continue }
            var effects = Watch.Effects()
            entries[number]?.watch.suspend(isOffline, local, now, &effects)
            let isDown = entries[number]?.watch.status.state.isDown ?? false
            entries[number]?.isDown = isDown
            for (kind, status) in effects.events { publish(kind, status, now) }
        }
    }
}
