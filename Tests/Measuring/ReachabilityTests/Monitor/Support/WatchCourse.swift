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
    var effects: Watch.Step

    init(_ target: Target, _ policy: Policy = Policy()) {
        watch = Watch(target, policy, at: .zero)
        let nothing = Watch.Local(path: { _, _, _ in nil }, lacksNeighbour: { _, _ in false }, link: { _ in nil })
        effects = Watch.Step(local: nothing, now: .zero)
    }

    var status: Status { watch.status }
    private var local: Watch.Local {
        let (paths, links, lacksNeighbour) = (paths, links, lacksNeighbour)
        return Watch.Local(
            path: { address, _, _ in paths[address] },
            lacksNeighbour: { _, _ in lacksNeighbour },
            link: { name in links[name].map { ($0, .ethernet) } },
            context: context
        )
    }

    /// The kinds of events of the last step.
    var kinds: [Event.Kind] { effects.events.map(\.kind) }

    mutating func begin() { step { watch, step in watch.begin(at: step.now, &step) } }

    /// Lets time pass, and has done what is due.
    mutating func pass(_ time: Duration = .zero) {
        now += time
        step { watch, step in watch.proceed(&step) }
    }

    mutating func resolve(_ addresses: [String], timeToLive: Duration? = nil) {
        var resolution = Resolution(addresses.map { IPAddress(literal: $0) })
        resolution.timeToLive = timeToLive
        resolve(resolution)
    }

    mutating func resolve(_ resolution: Resolution) {
        step { watch, step in watch.resolved(resolution, of: 0, &step) }
    }

    /// Has a probe sent at `sentAt`, or now, end like this.
    mutating func observe(
        _ finding: Observation.Finding,
        track: Int = 0,
        probe: Probe? = nil,
        sentAt: Duration? = nil,
        offender: String? = nil
    ) {
        var observation = Observation(finding)
        observation.offender = offender.map { IPAddress(literal: $0) }
        let asked = probe ?? watch.tracks.first { $0.number == track }?.probe ?? .unix(path: "/none")
        step { watch, step in watch.observed(track, asked, observation, sentAt: sentAt ?? step.now, &step) }
    }

    mutating func changeLocally() {
        step { watch, step in watch.localChanged(&step) }
    }

    mutating func startOver(forgetting: Bool) {
        step { watch, step in watch.startOver(forgetting: forgetting, &step) }
    }

    mutating func suspend(_ isSuspended: Bool) {
        step { watch, step in watch.suspend(isSuspended, &step) }
    }

    private mutating func step(_ body: (inout Watch, inout Watch.Step) -> Void) {
        effects = Watch.Step(local: local, now: now)
        body(&watch, &effects)
    }
}

extension Path {
    static func over(_ interface: String, _ status: Status = .satisfied) -> Path {
        var path = Path(status)
        path.interface = interface
        return path
    }
}
