// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import InternetAddresses
import Synchronization

/// A look-up under way: hands the questions of a ``NameLookup`` to a prober, and its answers back.
final class LookupTask: Sendable {
    private struct State {
        var lookup: NameLookup
        var probes: [IPAddress.Family: ProbeHandle] = [:]
        var isOver = false
    }

    private let state: Mutex<State>
    private let prober: any Prober
    private let port: UInt16
    private let perServer: Duration
    private let deadline: Int64
    private let done: @Sendable (Resolution) -> Void

    init(
        _ lookup: NameLookup,
        _ prober: any Prober,
        port: UInt16,
        perServer: Duration,
        until deadline: Int64,
        done: @escaping @Sendable (Resolution) -> Void
    ) {
        state = Mutex(State(lookup: lookup))
        self.prober = prober
        self.port = port
        self.perServer = perServer
        self.deadline = deadline
        self.done = done
    }

    func begin() { ask(state.withLock { $0.lookup.begin() }) }

    func cancel() {
        let probes = state.withLock { state in
            state.isOver = true
            return state.probes.values
        }
        for probe in probes { probe.cancel() }
    }

    private func ask(_ asks: [NameLookup.Ask]) {
        for ask in asks {
            let left = Duration.nanoseconds(max(0, deadline - lc_monotonic_time()))
            let probe = Probe.dns(ask.question, server: ask.server, port: port)
            let handle = prober.start(probe, timeout: min(perServer, left)) { self.take($0, for: ask.family) }
            let isOver = state.withLock { state in
                state.probes[ask.family] = handle
                return state.isOver
            }
            if isOver { handle.cancel() }
        }
    }

    private func take(_ observation: Observation, for family: IPAddress.Family) {
        let hasTime = lc_monotonic_time() < deadline
        let (asks, resolution) = state.withLock { state -> ([NameLookup.Ask], Resolution?) in
            guard !state.isOver else { return ([], nil) }
            let asks = state.lookup.take(observation, for: family, hasTime: hasTime)
            if state.lookup.resolution != nil {
                state.isOver = true
                state.probes = [:]
            }
            return (asks, state.lookup.resolution)
        }
        if let resolution { done(resolution) } else { ask(asks) }
    }
}
