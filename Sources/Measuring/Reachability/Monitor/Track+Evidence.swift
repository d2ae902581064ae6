// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Interprets observations by what else is known.
extension Track {
    /// Updates the path. While the kernel refuses it, no probe is sent.
    ///
    /// - Parameter interface: that packets must leave by; nil for any.
    mutating func updatePath(_ step: Watch.Step, over interface: String?) {
        guard let address, let path = step.local.path(address, lastInterface, interface) else { return }
        let before = self.path?.obstacle
        self.path = path
        lastInterface = path.interface ?? lastInterface
        if let obstacle = path.obstacle {
            if obstacle != before { judge.add(.impossible(obstacle), at: step.now) }
            due = nil
        } else if before != nil || due == nil {
            judge.liftRefusal(at: step.now)
            due = step.now
        }
    }

    /// If the next hop does not answer, the kernel reports that after three seconds (mcast_solicit of arp(7)), later
    /// than most probes wait; to later probes it may report it sooner. Until then its neighbour table shows it.
    func explainSilence(_ observation: inout Observation, _ local: Watch.Local) {
        guard case .failed(let reason) = observation.finding,
            [.blackHole, .queryTimeout, .hostUnreachable, .serverUnreachable].contains(reason),
            let path, let address, observation.offender == nil || observation.offender == path.source,
            local.lacksNeighbour(path, address)
        else { return }
        observation.finding = .failed(.neighbourUnresolved)
    }

    /// Routers and hosts limit the rate of ICMP errors (RFC 1812 section 4.3.2.8): the last error still holds if
    /// silence follows soon.
    mutating func recallICMPError(_ observation: inout Observation) {
        guard case .failed(let reason) = observation.finding else {
            lastICMPError = nil
            return
        }
        if observation.offender != nil {
            (lastICMPError, silences) = (observation, 0)
        } else if reason.isSilence, let error = lastICMPError, silences < 3 * judge.policy.fall {
            silences += 1
            observation = error
        } else {
            lastICMPError = nil
        }
    }

    /// For a target that is only a host: a refusal counts as an answer, and a kind of probe that is not permitted, or
    /// was never answered, is replaced by another.
    ///
    /// - Returns: whether the observation tells nothing of the host, since another kind of probe follows at once.
    mutating func adapt(_ probe: Probe, _ observation: inout Observation, _ now: Duration) -> Bool {
        switch observation.finding {
        case .failed(.refused), .failed(.reset): observation.finding = .answered(observation.phases[.connect] ?? .zero)
        default: break
        }
        // The result of an earlier kind of probe says nothing about the current one.
        guard probe == self.probe else { return false }
        let isProhibited = observation.finding == .failed(.adminProhibited) && !hasAnswered
        switch observation.finding {
        case .answered: hasAnswered = true
        // This host forbids it, or a filter on the path, or the far end of an uplink.
        case _ where isProhibited || observation.finding == .nothing(.permission):
            guard case .icmp = probe, let other = probe.alternative(lacksICMP: true) else { return false }
            (self.probe, lacksICMP, due) = (other, true, now)
            return true
        // If the current kind was answered before, its silence is a finding.
        case .failed(let reason) where reason.isSilence && !hasAnswered:
            self.probe = probe.alternative(lacksICMP: lacksICMP) ?? probe
        default: break
        }
        return false
    }
}
