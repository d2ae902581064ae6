// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// Gives each probe to the prober that knows it: packets and connections to one, sessions on top of them to another.
///
/// Where a session has no connection because of a router's word, the other asks for the connection again: it knows
/// which router that was, and what exactly it said.
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
        guard let connection = probe.connection else { return packets.start(probe, timeout: timeout, done: done) }
        let errand = Errand()
        let end = lc_monotonic_time() + timeout.nanoseconds
        errand.begin { [packets] in
            sessions.start(probe, timeout: timeout) { observation in
                let left = Duration.nanoseconds(end - lc_monotonic_time())
                guard observation.isWordOfUnknownRouter, left > .zero else { return done(observation) }
                errand.begin {
                    packets.start(connection, timeout: left) { done($0.offender == nil ? observation : $0) }
                }
            }
        }
        return ProbeHandle { errand.cancel() }
    }

    /// Starts probes together.
    @discardableResult
    public func start(
        batch: [Probe],
        timeout: Duration,
        done: @escaping @Sendable (Int, Observation) -> Void
    ) -> ProbeHandle {
        let places = batch.indices.filter { batch[$0].connection == nil }
        var handles: [ProbeHandle] = []
        if !places.isEmpty {
            handles.append(packets.start(batch: places.map { batch[$0] }, timeout: timeout) { done(places[$0], $1) })
        }
        for place in batch.indices where batch[place].connection != nil {
            handles.append(start(batch[place], timeout: timeout) { done(place, $0) })
        }
        return ProbeHandle { [handles] in for handle in handles { handle.cancel() } }
    }
}

extension Probe {
    /// The connection that a session needs; nil for anything that is none.
    fileprivate var connection: Probe? {
        switch self {
        case .tls(let address, let port, _): .tcp(address, port: port)
        case .http(let question, let address): .tcp(address, port: question.port)
        case .icmp, .tcp, .udp, .unix, .dns: nil
        }
    }
}

extension Observation {
    /// Whether some router has said that there is no way.
    fileprivate var isWordOfUnknownRouter: Bool {
        guard case .failed(let reason) = finding, offender == nil else { return false }
        return [.netUnreachable, .hostUnreachable, .adminProhibited].contains(reason)
    }
}
