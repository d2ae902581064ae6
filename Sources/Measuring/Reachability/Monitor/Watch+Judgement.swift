// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Derives a target's status from its tracks.
extension Watch {
    /// Judges `internet`: reachable if the servers themselves respond, captive if a portal responds in their place.
    mutating func judgeInternet(_ time: Duration) {
        // The first verdict waits for all responses, since a portal may let the first one through.
        let isComplete = tracks.allSatisfy { $0.last != nil || $0.path?.obstacle != nil }
        if aggregate.verdict.state == .unknown, !isComplete { return }
        let answers = tracks.compactMap { track -> PortalVerdict.Answer? in
            guard let last = track.last, case .http(let question, _) = track.probe else { return nil }
            return PortalVerdict.Answer(question, last)
        }
        let verdicts = tracks.map { Combination.Part(family: nil, verdict: $0.judge.verdict) }
        switch PortalVerdict(answers) {
        case .captive(let reason, let location):
            portal = location
            aggregate.add(.failed(reason), at: time)
        case .open, .unknown:
            let times = answers.compactMap { answer in
                if case .answered(let time) = answer.observation.finding { time } else { nil }
            }
            if let best = times.min() {
                aggregate.add(.answered(best), at: time)
            } else if let reason = Combination.judge(verdicts).reason {
                aggregate.add(.failed(reason), at: time)
            }
        }
    }

    /// Updates the verdict of `internet` if the kernel refuses the paths of all tracks, or no longer does.
    mutating func updateAggregate(_ now: Duration) {
        guard case .internet = target.plain, let obstacle = tracks.first?.path?.obstacle,
            tracks.allSatisfy({ $0.path?.obstacle != nil })
        else { return aggregate.liftRefusal(at: now) }
        if aggregate.verdict.reason != obstacle { aggregate.add(.impossible(obstacle), at: now) }
    }

    /// Updates the status from all tracks, and reports changes.
    mutating func refresh(_ step: inout Step) {
        let before = status
        let (state, reason) = conclude(step.local)
        if state != status.state { status.since = max(start(of: state) ?? step.now, status.since) }
        if state != status.state || reason != status.reason {
            (status.state, status.reason) = (state, reason)
            status.generation += 1
        }
        let representative = representative
        status.path = representative?.path
        status.observation = representative?.last ?? names.lazy.compactMap(\.observation).first
        status.via = step.local.context.via(status.path)
        status.conditions = status.path?.interface.flatMap { step.local.context.conditions[$0] }
        status.lastEvidence = tracks.lazy.filter { $0.judge.total > 0 }.map(\.judge.lastEvidence).max()
        status.addresses = tracks.compactMap { track in
            let (verdict, roundTrip) = (track.judge.verdict, track.judge.lastRoundTrip)
            return track.address.map {
                AddressStatus(address: $0, state: verdict.state, reason: verdict.reason, roundTrip: roundTrip)
            }
        }
        status.isExplained = status.conditions.flatMap { $0.explains(state, reason, policy, asksDNS: target.asksDNS) }
        reportChange(&step)
        reportOtherChanges(before, representative, &step)
    }

    /// The track that represents the target: one with the target's state and reason, else one that answers, else the
    /// first.
    private var representative: Track? {
        tracks.first { $0.judge.verdict.state == status.state && $0.judge.verdict.reason == status.reason }
            ?? tracks.first { $0.judge.verdict.isReachable } ?? tracks.first
    }

    /// When the evidence for `state` began; nil if the state does not rest on evidence. An outage begins with the first
    /// lost probe of the address that failed last, a recovery with the first answer.
    private func start(of state: PathVerdict.State) -> Duration? {
        if case .internet = target.plain { return state == .suspended ? nil : aggregate.verdict.since }
        let verdicts = tracks.map(\.judge.verdict)
        if state.isReachable { return verdicts.filter { $0.state == state }.map(\.since).min() }
        return state.isDown ? verdicts.map(\.since).max() : nil
    }

    private func conclude(_ local: Local) -> (PathVerdict.State, Reason?) {
        if case .link(let name) = target { return local.link(name).map(Self.judge) ?? (.unknown, nil) }
        let (state, reason) = concludeFromParts()
        let isElsewhere = tracks.isEmpty || tracks.contains { $0.address != nil && $0.path?.isOwnAddress != true }
        // A target that answers is reachable even if this host counts as offline.
        guard isSuspended, isElsewhere, !state.isReachable, state != .captive else { return (state, reason) }
        return (.suspended, .offline)
    }

    private func concludeFromParts() -> (PathVerdict.State, Reason?) {
        if tracks.isEmpty {
            guard let failure = names.compactMap(\.failure).first else { return (.unknown, nil) }
            return failure.scope == .monitor ? (.unknown, failure) : (.unreachable, failure)
        }
        if let obstacle = tracks.first(where: { $0.judge.verdict.state == .unknown })?.judge.obstacle,
            tracks.allSatisfy({ $0.judge.verdict.state == .unknown })
        {
            return (.unknown, obstacle)
        }
        guard case .internet = target.plain else {
            return Combination.judge(tracks.map { .init(family: $0.address?.family, verdict: $0.judge.verdict) })
        }
        let (state, reason) = (aggregate.verdict.state, aggregate.verdict.reason)
        // This host's network works, but hosts beyond it do not answer.
        return (state == .unreachable && reason?.scope != .local ? .limited : state, reason)
    }

    private static func judge(_ link: (state: OperationalState, linkClass: LinkClass?)) -> (PathVerdict.State, Reason?)
    {
        switch link.state {
        // Loopback needs no address that is valid beyond this host.
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

    /// Reports a change of state or reason, unless the target flaps.
    private mutating func reportChange(_ step: inout Step) {
        let (state, reason) = (status.state, status.reason)
        let verdict = PathVerdict(state: state, reason: reason, since: status.since, generation: status.generation)
        let change = changeReporter.update(verdict, at: step.now)
        status.isFlapping = changeReporter.reported.isFlapping
        guard let change else { return }
        let (from, to) = (change.from, change.to)
        if from.isFlapping != to.isFlapping { report(to.isFlapping ? .flapStarted : .flapEnded, &step) }
        if from.state != to.state {
            report(.stateChanged(from: from.state), &step)
            if to.state == .captive {
                report(.portalDetected(location: portal ?? status.observation?.location), &step)
            }
            if from.state == .captive { report(.portalCleared, &step) }
            if to.state.isDown, outage == nil {
                outage = to.since
                report(.outageStarted, &step)
            }
            // The state may have been unknown in between.
            if to.state.isReachable, let start = outage {
                outage = nil
                report(.outageEnded(to.since - start), &step)
            }
        } else if from.reason != to.reason {
            report(.reasonChanged(from: from.reason), &step)
        }
    }

    private mutating func reportOtherChanges(_ before: Status, _ representative: Track?, _ step: inout Step) {
        if before.path != status.path, before.path != nil { report(.pathChanged(from: before.path), &step) }
        if before.conditions != status.conditions {
            hasMissedExpectation = false
            // A deliberate change of the conditions is not flapping.
            changeReporter.reset()
            for index in tracks.indices { tracks[index].judge.restartMeasurement() }
            aggregate.restartMeasurement()
            status.statistics = Statistics()
            report(.conditionsChanged(from: before.conditions), &step)
        }
        guard let representative, representative.judge.verdict.isReachable else {
            status.quality = nil
            return
        }
        guard before.conditions == status.conditions else { return }
        // Sorting a long window after each probe would cost more than the probe, so every 16th probe does it.
        let count = representative.judge.windowCount
        guard count < 32 && count.isMultiple(of: 4) || representative.judge.total.isMultiple(of: 16) else { return }
        measure(representative.judge, &step)
    }

    private mutating func measure(_ judge: Judge, _ step: inout Step) {
        status.statistics = judge.statistics
        guard status.statistics.count >= Self.fewSamples, let late = status.statistics.percentile95 else { return }
        let quality = QualityClass(roundTrip: late, loss: status.statistics.loss)
        let old = status.quality
        status.quality = quality
        if let old, old != quality { report(.qualityChanged(from: old), &step) }
        guard !hasMissedExpectation, let miss = status.conditions?.contradiction(status.statistics, policy) else {
            return
        }
        hasMissedExpectation = true
        report(.expectationMissed(miss), &step)
    }

    private static let fewSamples = 8

    func report(_ kind: Event.Kind, _ step: inout Step) {
        step.events.append((kind, status))
    }
}
