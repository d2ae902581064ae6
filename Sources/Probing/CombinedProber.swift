// SPDX-License-Identifier: Apache-2.0

/// Gives each probe to the prober that knows it: packets and connections to one, TLS and HTTP to another.
public struct CombinedProber: Prober {
    private let packets: any Prober
    private let sessions: any Prober

    /// Makes a prober.
    ///
    /// - Parameters:
    ///   - packets: for ICMP, TCP, UDP, unix sockets and DNS.
    ///   - sessions: for TLS and HTTP.
    public init(packets: any Prober, sessions: any Prober) {
        self.packets = packets
        self.sessions = sessions
    }

    /// Starts one probe.
    @discardableResult
    public func start(
        _ probe: Probe,
        timeout: Duration,
        done: @escaping @Sendable (Observation) -> Void
    ) -> ProbeHandle {
        (probe.isOverSession ? sessions : packets).start(probe, timeout: timeout, done: done)
    }

    /// Starts probes together.
    @discardableResult
    public func start(
        batch: [Probe],
        timeout: Duration,
        done: @escaping @Sendable (Int, Observation) -> Void
    ) -> ProbeHandle {
        let places = batch.indices.filter { !batch[$0].isOverSession }
        var handles: [ProbeHandle] = []
        if !places.isEmpty {
            handles.append(packets.start(batch: places.map { batch[$0] }, timeout: timeout) { done(places[$0], $1) })
        }
        for place in batch.indices where batch[place].isOverSession {
            handles.append(sessions.start(batch[place], timeout: timeout) { done(place, $0) })
        }
        return ProbeHandle { [handles] in for handle in handles { handle.cancel() } }
    }
}
