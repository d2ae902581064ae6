// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// How a target's status follows from what is known of its parts.
extension Watch {
    /// Looks how packets would leave for a track's address. Where the kernel says that they would not, nothing is sent.
    func look(_ track: inout Track, _ local: Local, _ now: Duration) {
        guard let address = track.address, let path = local.path(address) else { return }
        let wasBlocked = track.path?.obstacle != nil
        track.path = path
        if let obstacle = path.obstacle {
            track.judge.take(Evidence(at: now, .impossible(obstacle)))
            track.due = nil
        } else if wasBlocked || track.due == nil {
            track.due = now
        }
    }

    /// Where the next hop is not there, the kernel says so after three seconds (mcast_solicit of arp(7)), later than
    /// most probes wait; meanwhile its table tells.
    func explainSilence(_ index: Int, _ observation: inout Observation, _ local: Local) {
        guard case .failed(let reason) = observation.finding, reason == .blackHole || reason == .queryTimeout,
            let path = tracks[index].path, let address = tracks[index].address, local.lacksNeighbour(path, address)
        else { return }
        observation.finding = .failed(.neighbourUnresolved)
    }

    /// Of a host that is only to be there: a refusal is an answer, and where one way to ask is not to be had, another.
    mutating func adapt(_ index: Int, _ observation: inout Observation, _ now: Duration) {
        switch observation.finding {
        case .failed(.refused), .failed(.reset):
            observation.finding = .answered(observation.phases[.connect] ?? .zero)
        case .nothing(.permission), .failed(.blackHole):
            // Silence of a host that can be asked by ICMP is its answer.
            if observation.finding == .failed(.blackHole), case .icmp = tracks[index].probe { return }
            guard let other = tracks[index].probe.alternative else { return }
            tracks[index].probe = other
            if case .nothing = observation.finding { tracks[index].due = now }
        default: break
        }
    }

    /// There is an internet if the servers themselves answer, and a portal if something else does in their place.
    mutating func judgeInternet(_ time: Duration) {
        let answers = tracks.compactMap { track -> PortalVerdict.Answer? in
            guard let last = track.last, case .http(let question, _) = track.probe else { return nil }
            return PortalVerdict.Answer(question, last)
        }
        let verdicts = tracks.map { Combination.Part(family: nil, verdict: $0.judge.verdict) }
        switch PortalVerdict(answers) {
        case .captive(let reason, _): whole.take(Evidence(at: time, .failed(reason)))
        case .open, .unknown:
            let times = answers.compactMap { answer in
                if case .answered(let time) = answer.observation.finding { time } else { nil }
            }
            if let best = times.min() {
                whole.take(Evidence(at: time, .answered(best)))
            } else if let reason = Combination.judge(verdicts).reason {
                whole.take(Evidence(at: time, .failed(reason)))
            }
        }
    }

    /// Draws the conclusion from all parts, and tells what has changed.
    mutating func refresh(_ local: Local, _ now: Duration, _ effects: inout Effects) {
        let before = status
        let (state, reason) = conclude(local)
        status.path = leading?.path
        status.via = local.context.via(status.path)
        status.conditions = status.path?.interface.flatMap { local.context.conditions[$0] }
        status.lastEvidence = tracks.map(\.judge.lastEvidence).max()
        status.addresses = tracks.compactMap { track in
            track.address.map {
                AddressStatus(
                    address: $0,
                    state: track.judge.verdict.state,
                    reason: track.judge.verdict.reason,
                    roundTrip: track.judge.lastRoundTrip
                )
            }
        }
        if state != status.state || reason != status.reason {
            if state != status.state {
                // An outage begins with its first lost probe, and a change for the better with the first answer.
                status.since = leading?.judge.verdict.since ?? now
            }
            (status.state, status.reason) = (state, reason)
            status.generation += 1
        }
        status.isExplained = status.conditions.flatMap { $0.explains(state, reason, policy, asksDNS: target.asksDNS) }
        announce(now, &effects)
        tellRest(before, &effects)
    }

    /// The part that speaks for the target: the first that answers, or the first there is.
    private var leading: Track? {
        tracks.first { $0.judge.verdict.isReachable } ?? tracks.first { $0.judge.verdict.state == status.state }
            ?? tracks.first
    }

    private func conclude(_ local: Local) -> (Verdict.State, Reason?) {
        if case .link(let name) = target { return Self.judge(local.link(name)) }
        if isSuspended { return (.suspended, .offline) }
        if tracks.isEmpty {
            guard let failure = names.compactMap(\.failure).first else { return (.unknown, nil) }
            return failure.scope == .monitor ? (.unknown, failure) : (.unreachable, failure)
        }
        if let obstacle = tracks.first(where: { $0.judge.verdict.state == .unknown })?.judge.obstacle,
            tracks.allSatisfy({ $0.judge.verdict.state == .unknown })
        {
            return (.unknown, obstacle)
        }
        if case .internet = target {
            let isHere = tracks.contains { $0.path?.obstacle == nil }
            let (state, reason) = (whole.verdict.state, whole.verdict.reason)
            // The network here works, as far as can be seen from here; what is behind it does not.
            return (state == .unreachable && isHere ? .limited : state, reason)
        }
        return Combination.judge(tracks.map { .init(family: $0.address?.family, verdict: $0.judge.verdict) })
    }

    private static func judge(_ link: (state: OperationalState, linkClass: LinkClass?)) -> (Verdict.State, Reason?) {
        switch link.state {
        // Its addresses hold on this host only, and are all it needs.
        case .carrier where link.linkClass == .loopback: (.reachable, nil)
        case .missing: (.unreachable, .interfaceMissing)
        case .off: (.unreachable, .adminDown)
        case .noCarrier: (.unreachable, .noCarrier)
        case .dormant: (.waiting, .dormant)
        case .carrier: (.limited, .noAddress)
        case .degraded: (.limited, .linkLocalOnly)
        case .degradedCarrier: (.degraded, .noCarrier)
        case .enslaved, .routable: (.reachable, nil)
        }
    }

    /// Tells a change of state or reason, unless the target flaps.
    private mutating func announce(_ now: Duration, _ effects: inout Effects) {
        let verdict = Verdict(
            state: status.state,
            reason: status.reason,
            since: status.since,
            generation: status.generation,
            isFlapping: false
        )
        let change = announcer.tell(verdict, at: now)
        status.isFlapping = announcer.told.isFlapping
        guard let change else { return }
        let (from, to) = (change.from, change.to)
        if from.isFlapping != to.isFlapping { tell(to.isFlapping ? .flapStarted : .flapEnded, &effects) }
        if from.state != to.state {
            tell(.stateChanged(from: from.state), &effects)
            if to.state == .captive { tell(.portalDetected(location: status.observation?.location), &effects) }
            if from.state == .captive { tell(.portalCleared, &effects) }
            if to.state.isDown, !from.state.isDown { tell(.outageStarted, &effects) }
            if from.state.isDown, to.state.isReachable { tell(.outageEnded(to.since - from.since), &effects) }
        } else if from.reason != to.reason {
            tell(.reasonChanged(from: from.reason), &effects)
        }
    }

    /// Tells what has changed beside the state.
    private mutating func tellRest(_ before: Status, _ effects: inout Effects) {
        if before.path != status.path, before.path != nil { tell(.pathChanged(from: before.path), &effects) }
        if before.conditions != status.conditions {
            hasMissedExpectation = false
            // Somebody changed the link on purpose: that is no flapping.
            announcer.pardon()
            for index in tracks.indices { tracks[index].judge.restartMeasurement() }
            tell(.conditionsChanged(from: before.conditions), &effects)
        }
        guard let leading, leading.judge.verdict.isReachable else {
            status.quality = nil
            return
        }
        // To sort the window at each probe of thousands would cost more than the probe; each sixteenth is often enough.
        let count = leading.judge.windowCount
        guard count < 64 && count.isMultiple(of: 4) || leading.judge.total.isMultiple(of: 16) else { return }
        measure(leading.judge, &effects)
    }

    private mutating func measure(_ judge: Judge, _ effects: inout Effects) {
        status.statistics = judge.statistics
        guard status.statistics.count >= Self.fewSamples, let late = status.statistics.percentile95 else { return }
        let quality = QualityClass(roundTrip: late, loss: status.statistics.loss)
        let old = status.quality
        status.quality = quality
        if let old, old != quality { tell(.qualityChanged(from: old), &effects) }
        guard !hasMissedExpectation, let miss = status.conditions?.contradiction(status.statistics, policy) else {
            return
        }
        hasMissedExpectation = true
        tell(.expectationMissed(miss), &effects)
    }

    private static let fewSamples = 8

    private func tell(_ kind: Event.Kind, _ effects: inout Effects) {
        effects.events.append((kind, status))
    }
}
