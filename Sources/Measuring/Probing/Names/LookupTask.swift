// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import InternetAddresses
import Synchronization

/// A lookup in progress: sends the queries of a ``NameLookup`` through the resolver's prober, and returns the responses
/// to it.
final class LookupTask: Sendable {
    private struct State {
        var lookup: NameLookup
        var probes: [IPAddress.Family: ProbeHandle] = [:]
        var isOver = false
    }

    private let state: Mutex<State>
    private let resolver: Resolver
    private let perServer: Duration
    private let deadline: Int64
    private let done: @Sendable (Resolution) -> Void

    init(_ name: String, _ resolver: Resolver, until deadline: Int64, done: @escaping @Sendable (Resolution) -> Void) {
        let configuration = resolver.configuration.value
        state = Mutex(State(lookup: NameLookup(name, configuration)))
        (self.resolver, perServer, self.deadline, self.done) = (resolver, configuration.timeout, deadline, done)
    }

    func begin() { ask(state.withLock { $0.lookup.begin() }) }

    func cancel() {
        let probes = state.withLock { state in
            state.isOver = true
            defer { state.probes = [:] }
            return state.probes.values
        }
        for probe in probes { probe.cancel() }
    }

    private func ask(_ asks: [NameLookup.Ask]) {
        for ask in asks {
            let left = Duration.nanoseconds(max(0, deadline - lc_monotonic_time()))
            let probe = Probe.dns(ask.question, server: ask.server, port: resolver.port)
            let handle = resolver.prober.start(probe, timeout: min(perServer, left)) { self.answer($0, ask.family) }
            let isOver = state.withLock { state in
                if !state.isOver { state.probes[ask.family] = handle }
                return state.isOver
            }
            if isOver { handle.cancel() }
        }
    }

    private func answer(_ observation: Observation, _ family: IPAddress.Family) {
        let hasTime = lc_monotonic_time() < deadline
        let (asks, resolution) = state.withLock { state -> ([NameLookup.Ask], Resolution?) in
            guard !state.isOver else { return ([], nil) }
            let asks = state.lookup.answer(observation, for: family, hasTime: hasTime)
            if state.lookup.resolution != nil {
                state.isOver = true
                state.probes = [:]
            }
            return (asks, state.lookup.resolution)
        }
        if let resolution { done(resolution) } else { ask(asks) }
    }
}
