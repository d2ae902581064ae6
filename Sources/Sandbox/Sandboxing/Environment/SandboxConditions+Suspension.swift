// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkConditioning
internal import LinuxSystem

extension SandboxConditions {
    /// Takes all conditions out of effect, those of rules, too, until `resume`; returns a time right before that. The
    /// old lanes must have drained. A failure leaves the conditions in effect.
    func suspend(by client: String?) throws(ConditioningError) -> Instant {
        let start = Instant.now
        guard !isSuspended else { return start }
        isSuspended = true
        do {
            for link in links + rules {
                guard let request = link.current?.request else { continue }
                // Before the change: what was asked, and not the lanes that a capture needs.
                let asked = (request, link.counted?.conditions.origin ?? .start)
                var none = request
                (none.profile, none.seed, none.recordings) = (.unconditioned, nil, [:])
                try put(none, on: link, by: .client(client))
                link.suspended = asked
            }
        } catch {
            _ = try? resume()
            throw error
        }
        return start
    }

    /// Brings the suspended conditions back into effect; returns a time right before that. The old lanes must have
    /// drained. After a failure, those that did not come back stay suspended.
    @discardableResult
    func resume() throws(ConditioningError) -> Instant {
        let start = Instant.now
        // The rules first: the other conditions would apply to their traffic meanwhile.
        for link in rules + links {
            guard let (request, origin) = link.suspended else { continue }
            try put(request, on: link, by: origin)
            link.suspended = nil
        }
        isSuspended = false
        return start
    }

    /// The names of the suspended profiles, each once: those that impair something.
    var suspendedProfiles: [String] {
        var names: [String] = []
        for link in links + rules {
            guard let profile = link.suspended?.request.profile, !profile.impairsNothing else { continue }
            let name = link.named(profile.name)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The rules that `suspend` has taken out of effect, as a status lists them.
    var suspended: [StatusReport.Suspended] {
        (links + rules).flatMap { link -> [StatusReport.Suspended] in
            guard let request = link.suspended?.request, !request.profile.impairsNothing else { return [] }
            return link.devices.map {
                StatusReport.Suspended(
                    interface: $0,
                    profile: request.profile.name,
                    traffic: request.selection
                )
            }
        }
    }
}
