// SPDX-License-Identifier: Apache-2.0

/// Gives each probe to the prober that knows it: packets and connections to one, sessions on top of them to another.
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
        switch probe {
        case .tls, .http: sessions.start(probe, timeout: timeout, done: done)
        case .icmp, .tcp, .udp, .unix, .dns: packets.start(probe, timeout: timeout, done: done)
        }
    }
}
