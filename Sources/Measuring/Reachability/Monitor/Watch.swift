// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// One watched target. Pure: processes inputs, and returns probes to send and events to report.
struct Watch: Sendable {
    /// One step of a watch: its inputs, and the resulting requests and events.
    struct Step {
        let local: Local
        var now: Duration
        /// The probes to send, each with the number of its track.
        var probes: [(track: Int, probe: Probe)] = []
        /// The names to look up, each with the index of the target's request.
        var names: [(question: Int, host: String)] = []
        /// The events to report, each with the target's status after the event.
        var events: [(kind: Event.Kind, status: Status)] = []
    }

    /// Functions that query this host's state.
    struct Local: Sendable {
        /// The path of packets to `address`, given the interface `last` by which they left before, and the interface
        /// over which they must leave (nil for any); nil if the path is unknown.
        var path: @Sendable (_ address: IPAddress, _ last: String?, _ interface: String?) -> Path?
        /// Whether the next hop to an address does not answer address resolution.
        var lacksNeighbour: @Sendable (Path, IPAddress) -> Bool
        /// The operational state and class of an interface; nil if unknown.
        var link: @Sendable (String) -> (state: OperationalState, linkClass: LinkClass?)?
        /// Facts that the kernel does not report.
        var context = LinkContext()
    }

    let target: Target
    let policy: Policy
    var status: Status
    var tracks: [Track] = []
    /// Incremented when all probes in progress become void; their results are then ignored.
    private(set) var epoch = 0
    private let hosts: [String]
    var names: [NameState]
    /// The judge for `internet`, which is judged as a whole.
    var aggregate: Judge
    var changeReporter: ChangeReporter
    /// Whether this host counts as offline, so that the target is not judged.
    var isSuspended = false
    var hasMissedExpectation = false
    /// When the reported outage began; nil if none is reported.
    var outage: Duration?
    /// The location to which a portal redirects.
    var portal: String?
    private var nextTrack = 0

    struct NameState: Sendable {
        var due: Duration?
        var failure: Reason?
        var observation: Observation?
        var addresses: [IPAddress] = []
    }

    init(_ target: Target, _ policy: Policy, at now: Duration) {
        self.target = target
        self.policy = policy
        status = Status(target, at: now)
        hosts = target.hosts(policy)
        names = hosts.map { _ in NameState() }
        aggregate = Judge(policy, at: now)
        changeReporter = ChangeReporter(policy, aggregate.verdict)
    }

    /// When the next probe, lookup or report is due; nil for never.
    var due: Duration? {
        ([changeReporter.due] + tracks.map(\.due) + names.map(\.due)).compactMap { $0 }.min()
    }

    /// Starts the watch; the first probe is sent at `first`.
    mutating func begin(at first: Duration, _ step: inout Step) {
        step.now = first
        for index in names.indices { names[index].due = first }
        if case .unix(let path) = target { addTrack(nil, 0, .unix(path: path), due: first) }
        localChanged(&step)
    }

    mutating func proceed(_ step: inout Step) {
        let now = step.now
        for index in names.indices where names[index].due.map({ $0 <= now }) == true {
            // Not due until the lookup ends; the resolver has its own timeout.
            names[index].due = nil
            step.names.append((index, hosts[index]))
        }
        for index in tracks.indices {
            guard let due = tracks[index].due, due <= now else { continue }
            tracks[index].judge.wait(until: now, timeout: target.timeout(policy))
            let probe = tracks[index].probe
            let bound = target.interface.map { Probe.over(probe, interface: $0) } ?? probe
            step.probes.append((tracks[index].number, bound))
            let interval = tracks[index].judge.interval
            // Missed intervals are skipped; probes never burst.
            tracks[index].due = due + interval > now ? due + interval : now + interval
        }
        refresh(&step)
    }

    mutating func resolved(_ resolution: Resolution, of question: Int, _ step: inout Step) {
        let now = step.now
        let again = resolution.timeToLive.map { min(max($0, .seconds(5)), .seconds(300)) } ?? .seconds(60)
        names[question].due = now + (resolution.addresses.isEmpty ? policy.interval : again)
        names[question].failure = resolution.reason
        names[question].observation = resolution.observations.values.first {
            $0.finding == resolution.reason.map { .failed($0) }
        }
        let before = names[question].addresses
        // If a lookup fails, the known addresses stay in use, as in other clients.
        guard !resolution.addresses.isEmpty || before.isEmpty else { return refresh(&step) }
        // Keeps known addresses first: their order differs between responses, and so does the selection if there are
        // many.
        var addresses = before.filter { resolution.addresses.contains($0) }
        for address in resolution.addresses where addresses.count < Self.maximumAddresses {
            if !addresses.contains(address) { addresses.append(address) }
        }
        if addresses != before {
            names[question].addresses = addresses
            tracks.removeAll { track in
                track.question == question && !addresses.contains { $0 == track.address }
            }
            for address in addresses where !before.contains(address) {
                guard let probe = target.probe(question, at: address, policy) else { continue }
                addTrack(address, question, probe, due: now)
                tracks[tracks.count - 1].updatePath(step, over: target.interface)
            }
            updateAggregate(now)
        }
        proceed(&step)
        if addresses != before, !before.isEmpty { report(.addressesChanged, &step) }
    }

    private mutating func addTrack(_ address: IPAddress?, _ question: Int, _ probe: Probe, due: Duration) {
        let judge = Judge(policy, at: due)
        tracks.append(
            Track(number: nextTrack, address: address, question: question, probe: probe, judge: judge, due: due)
        )
        nextTrack += 1
    }

    /// Processes the result of a track's probe; returns the interpreted observation, or nil if the track no longer
    /// exists.
    @discardableResult
    mutating func observed(
        _ number: Int,
        _ probe: Probe,
        _ observation: Observation,
        sentAt: Duration,
        _ step: inout Step
    ) -> Observation? {
        guard let index = tracks.firstIndex(where: { $0.number == number }) else { return nil }
        var observation = observation
        tracks[index].explainSilence(&observation, step.local)
        tracks[index].recallICMPError(&observation)
        if step.now - sentAt > target.timeout(policy) + Self.lateLimit, case .failed(let reason) = observation.finding,
            reason.isSilence
        {
            // This process was delayed, so the answer may have arrived in time.
            observation.finding = .nothing(.overloaded)
        }
        var isReplaced = false
        if case .host = target.plain { isReplaced = tracks[index].adapt(probe.plain, &observation, step.now) }
        tracks[index].last = observation
        // A probe sent before the kernel refused the path is not judged, since no later probe could correct the
        // verdict.
        if !isReplaced, tracks[index].path?.obstacle == nil {
            let before = tracks[index].judge.interval
            tracks[index].judge.add(observation.finding, at: sentAt)
            // If the verdict becomes uncertain, the current interval is shortened.
            let interval = tracks[index].judge.interval
            if interval < before, let due = tracks[index].due {
                tracks[index].due = min(due, max(sentAt + interval, step.now))
            }
            if case .internet = target.plain { judgeInternet(sentAt) }
        }
        refresh(&step)
        return observation
    }

    /// Updates the paths after links, routes or conditions have changed.
    mutating func localChanged(_ step: inout Step) {
        for index in tracks.indices { tracks[index].updatePath(step, over: target.interface) }
        updateAggregate(step.now)
        // The name server may be reachable again, so failed lookups are repeated soon.
        for index in names.indices where names[index].failure != nil {
            names[index].due = names[index].due.map { min($0, step.now + policy.fastInterval) }
        }
        refresh(&step)
    }

    /// Probes all tracks at once, because the conditions changed, or (`forgetting`) after a suspension, which also
    /// discards all evidence.
    mutating func startOver(forgetting: Bool, _ step: inout Step) {
        if forgetting {
            epoch += 1
            aggregate.forget()
        }
        for index in names.indices where names[index].failure != nil && names[index].due != nil {
            names[index].due = step.now
        }
        for index in tracks.indices where tracks[index].due != nil {
            if forgetting { tracks[index].judge.forget() }
            tracks[index].due = step.now
        }
        proceed(&step)
    }

    mutating func suspend(_ isSuspended: Bool, _ step: inout Step) {
        guard self.isSuspended != isSuspended else { return }
        self.isSuspended = isSuspended
        refresh(&step)
    }

    private static let maximumAddresses = 8
    /// How late after its timeout the end of a probe may be processed for its silence to count.
    private static let lateLimit = Duration.milliseconds(500)
}
