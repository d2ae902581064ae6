// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Interprets observations with the help of other evidence.
extension Track {
    /// Updates the path, and stops probing while the kernel refuses to send over it.
    ///
    /// - Parameter interface: the interface over which packets must leave; nil for any.
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

    /// Changes silence to `neighbourUnresolved` if the neighbour table shows that the next hop does not answer. The
    /// kernel reports this itself only after three seconds (mcast_solicit of arp(7)), later than most probes time out.
    func explainSilence(_ observation: inout Observation, _ local: Watch.Local) {
        guard case .failed(let reason) = observation.finding,
            [.blackHole, .queryTimeout, .hostUnreachable, .serverUnreachable].contains(reason),
            let path, let address, observation.offender == nil || observation.offender == path.source,
            local.lacksNeighbour(path, address)
        else { return }
        observation.finding = .failed(.neighbourUnresolved)
    }

    /// Replaces silence by the last ICMP error, if that was recent: routers and hosts limit the rate of ICMP errors
    /// (RFC 1812 section 4.3.2.8).
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

    /// Adapts the probe of a target that is only a host: a refusal counts as an answer, and a kind of probe that is not
    /// permitted, or was never answered, is replaced by another kind.
    ///
    /// - Returns: whether to ignore the observation, since another kind of probe follows at once.
    mutating func adapt(_ probe: Probe, _ observation: inout Observation, _ now: Duration) -> Bool {
        switch observation.finding {
        case .failed(.refused), .failed(.reset): observation.finding = .answered(observation.phases[.connect] ?? .zero)
        default: break
        }
        // The result of a previous kind of probe does not count for the current one.
        guard probe == self.probe else { return false }
        let isProhibited = observation.finding == .failed(.adminProhibited) && !hasAnswered
        switch observation.finding {
        case .answered: hasAnswered = true
        // ICMP is prohibited by this host, by a filter on the path, or by the far end of an uplink.
        case _ where isProhibited || observation.finding == .nothing(.permission):
            guard case .icmp = probe, let other = probe.alternative(lacksICMP: true) else { return false }
            (self.probe, lacksICMP, due) = (other, true, now)
            return true
        // Silence counts once the current kind of probe has been answered.
        case .failed(let reason) where reason.isSilence && !hasAnswered:
            self.probe = probe.alternative(lacksICMP: lacksICMP) ?? probe
        default: break
        }
        return false
    }
}
