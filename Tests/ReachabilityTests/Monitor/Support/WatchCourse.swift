// SPDX-License-Identifier: Apache-2.0

import Netlink

@testable import LocalNetwork
@testable import Probing
@testable import Reachability

/// A watch, and what a test does to it in the course of time.
struct WatchCourse {
    var watch: Watch
    var now = Duration.zero
    var paths: [IPAddress: Path] = [:]
    var context = LinkContext()
    var links: [String: OperationalState] = [:]
    var lacksNeighbour = false
    /// What came of the last step.
    var effects = Watch.Effects()

    init(_ target: Target, _ policy: Policy = Policy()) {
        watch = Watch(target, policy, at: .zero)
    }

    var status: Status { watch.status }
    var local: Watch.Local {
        let (paths, links, lacksNeighbour) = (paths, links, lacksNeighbour)
        return Watch.Local(
            path: { address, _ in paths[address] },
            lacksNeighbour: { _, _ in lacksNeighbour },
            link: { name in links[name].map { ($0, .ethernet) } },
            context: context
        )
    }

    /// The kinds of events of the last step.
    var kinds: [Event.Kind] { effects.events.map(\.kind) }

    mutating func begin() { step { watch, local, now, effects in watch.begin(local, at: now, &effects) } }

    /// Lets time pass, and has done what is due.
    mutating func pass(_ time: Duration = .zero) {
        now += time
        step { watch, local, now, effects in watch.proceed(local, now, &effects) }
    }

    mutating func resolve(_ addresses: [String], timeToLive: Duration? = nil) {
        var resolution = Resolution(addresses.map { IPAddress(literal: $0) })
        resolution.timeToLive = timeToLive
        resolve(resolution)
    }

    mutating func resolve(_ resolution: Resolution) {
        step { watch, local, now, effects in watch.resolved(resolution, of: 0, local, now, &effects) }
    }

    /// Has a probe sent at `sentAt`, or now, end like this.
    mutating func observe(
        _ finding: Evidence.Finding,
        track: Int = 0,
        probe: Probe? = nil,
        sentAt: Duration? = nil,
        offender: String? = nil
    ) {
        var observation = Observation(finding)
        observation.offender = offender.map { IPAddress(literal: $0) }
        let asked = probe ?? watch.tracks.first { $0.number == track }?.probe ?? .unix(path: "/none")
        step { watch, local, now, effects in
            watch.observed(track, asked, observation, sentAt: sentAt ?? now, local, now, &effects)
        }
    }

    mutating func changeLocally() {
        step { watch, local, now, effects in watch.localChanged(local, now, &effects) }
    }

    mutating func startOver(forgetting: Bool) {
        step { watch, local, now, effects in watch.startOver(forgetting: forgetting, local, now, &effects) }
    }

    mutating func suspend(_ isSuspended: Bool) {
        step { watch, local, now, effects in watch.suspend(isSuspended, local, now, &effects) }
    }

    private mutating func step(_ body: (inout Watch, Watch.Local, Duration, inout Watch.Effects) -> Void) {
        effects = Watch.Effects()
        let local = local
        body(&watch, local, now, &effects)
    }
}

extension Path {
    static func over(_ interface: String, _ status: Status = .satisfied) -> Path {
        var path = Path(status)
        path.interface = interface
        return path
    }
}
