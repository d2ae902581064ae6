// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// What observations mean, by what else is known.
extension Watch {
    /// Looks how packets would leave for a track's address. Where the kernel says that they would not, nothing is sent.
    func look(_ track: inout Track, _ local: Local, _ now: Duration) {
        guard let address = track.address, let path = local.path(address, track.lastInterface) else { return }
        let before = track.path?.obstacle
        track.path = path
        track.lastInterface = path.interface ?? track.lastInterface
        if let obstacle = path.obstacle {
            if obstacle != before { track.judge.take(Evidence(at: now, .impossible(obstacle))) }
            track.due = nil
        } else if before != nil || track.due == nil {
            track.judge.lift(at: now)
            track.due = now
        }
    }

    /// What the kernel says of all ways together, for targets that are judged as a whole.
    mutating func lookAsAWhole(_ now: Duration) {
        guard case .internet = target, let obstacle = tracks.first?.path?.obstacle,
            tracks.allSatisfy({ $0.path?.obstacle != nil })
        else { return aggregate.lift(at: now) }
        if aggregate.verdict.reason != obstacle { aggregate.take(Evidence(at: now, .impossible(obstacle))) }
    }

    /// Where the next hop is not there, the kernel says so after three seconds (mcast_solicit of arp(7)), later than
    /// most probes wait; to later probes it may say so sooner. Meanwhile its table tells.
    func explainSilence(_ index: Int, _ observation: inout Observation, _ local: Local) {
        guard case .failed(let reason) = observation.finding,
            [.blackHole, .queryTimeout, .hostUnreachable, .serverUnreachable].contains(reason),
            let path = tracks[index].path, let address = tracks[index].address,
            observation.offender == nil || observation.offender == path.source, local.lacksNeighbour(path, address)
        else { return }
        observation.finding = .failed(.neighbourUnresolved)
    }

    /// Routers and hosts limit how often they say why (RFC 1812 section 4.3.2.8): silence soon after does not take it
    /// back.
    mutating func recallICMPError(_ index: Int, _ observation: inout Observation) {
        guard case .failed(let reason) = observation.finding else {
            tracks[index].lastICMPError = nil
            return
        }
        if observation.offender != nil {
            tracks[index].lastICMPError = observation
            tracks[index].silences = 0
        } else if reason.isSilence, let word = tracks[index].lastICMPError, tracks[index].silences < 3 * policy.fall {
            tracks[index].silences += 1
            observation = word
        } else {
            tracks[index].lastICMPError = nil
        }
    }

    /// Of a host that is only to be there: a refusal is an answer, and where one way to ask is not to be had, or was
    /// never answered, another.
    mutating func adapt(_ index: Int, _ probe: Probe, _ observation: inout Observation, _ now: Duration) {
        switch observation.finding {
        case .failed(.refused), .failed(.reset):
            observation.finding = .answered(observation.phases[.connect] ?? .zero)
        default: break
        }
        // Results of probes sent before a change say nothing about what is asked now.
        guard probe == tracks[index].probe else { return }
        switch observation.finding {
        case .answered: tracks[index].hasAnswered = true
        case .nothing(.permission):
            guard case .icmp = probe, let other = probe.alternative(lacksICMP: true) else { return }
            (tracks[index].probe, tracks[index].lacksICMP) = (other, true)
            tracks[index].due = now
        // Silence of what has answered before is an answer.
        case .failed(let reason) where reason.isSilence && !tracks[index].hasAnswered:
            tracks[index].probe = probe.alternative(lacksICMP: tracks[index].lacksICMP) ?? probe
        default: break
        }
    }
}
