// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Interprets observations by what else is known.
extension Watch {
    /// Updates the path of a track. While the kernel refuses it, no probe is sent.
    func updatePath(of track: inout Track, _ local: Local, _ now: Duration) {
        guard let address = track.address, let path = local.path(address, track.lastInterface) else { return }
        let before = track.path?.obstacle
        track.path = path
        track.lastInterface = path.interface ?? track.lastInterface
        if let obstacle = path.obstacle {
            if obstacle != before { track.judge.take(Evidence(at: now, .impossible(obstacle))) }
            track.due = nil
        } else if before != nil || track.due == nil {
            track.judge.liftRefusal(at: now)
            track.due = now
        }
    }

    /// Updates the verdict of `internet` if the kernel refuses the paths of all its tracks, or no longer does.
    mutating func updateAggregate(_ now: Duration) {
        guard case .internet = target, let obstacle = tracks.first?.path?.obstacle,
            tracks.allSatisfy({ $0.path?.obstacle != nil })
        else { return aggregate.liftRefusal(at: now) }
        if aggregate.verdict.reason != obstacle { aggregate.take(Evidence(at: now, .impossible(obstacle))) }
    }

    /// If the next hop does not answer, the kernel reports that after three seconds (mcast_solicit of arp(7)), later
    /// than most probes wait; to later probes it may report it sooner. Until then its neighbour table shows it.
    func explainSilence(_ index: Int, _ observation: inout Observation, _ local: Local) {
        guard case .failed(let reason) = observation.finding,
            [.blackHole, .queryTimeout, .hostUnreachable, .serverUnreachable].contains(reason),
            let path = tracks[index].path, let address = tracks[index].address,
            observation.offender == nil || observation.offender == path.source, local.lacksNeighbour(path, address)
        else { return }
        observation.finding = .failed(.neighbourUnresolved)
    }

    /// Routers and hosts limit the rate of ICMP errors (RFC 1812 section 4.3.2.8): the last error still holds if
    /// silence follows soon.
    mutating func recallICMPError(_ index: Int, _ observation: inout Observation) {
        guard case .failed(let reason) = observation.finding else {
            tracks[index].lastICMPError = nil
            return
        }
        if observation.offender != nil {
            tracks[index].lastICMPError = observation
            tracks[index].silences = 0
        } else if reason.isSilence, let error = tracks[index].lastICMPError, tracks[index].silences < 3 * policy.fall {
            tracks[index].silences += 1
            observation = error
        } else {
            tracks[index].lastICMPError = nil
        }
    }

    /// For a target that is only a host: a refusal counts as an answer, and a kind of probe that is not permitted, or
    /// was never answered, is replaced by another.
    mutating func adapt(_ index: Int, _ probe: Probe, _ observation: inout Observation, _ now: Duration) {
        switch observation.finding {
        case .failed(.refused), .failed(.reset):
            observation.finding = .answered(observation.phases[.connect] ?? .zero)
        default: break
        }
        // The result of an earlier kind of probe says nothing about the current one.
        guard probe == tracks[index].probe else { return }
        switch observation.finding {
        case .answered: tracks[index].hasAnswered = true
        case .nothing(.permission):
            guard case .icmp = probe, let other = probe.alternative(lacksICMP: true) else { return }
            (tracks[index].probe, tracks[index].lacksICMP) = (other, true)
            tracks[index].due = now
        // If the current kind was answered before, its silence is a finding.
        case .failed(let reason) where reason.isSilence && !tracks[index].hasAnswered:
            tracks[index].probe = probe.alternative(lacksICMP: tracks[index].lacksICMP) ?? probe
        default: break
        }
    }
}
