// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Asks by TLS and HTTP (`Probe.tls`, `Probe.http`).
///
/// Each probe has a connection of its own, to the address given; no name is resolved, no redirect followed, no
/// connection used again. All of them run on one thread, apart from the packets of others, which a handshake's
/// arithmetic would hold up. It starts with the first probe, in the network namespace of the thread that starts that
/// one; so do the sockets.
public final class WebProber: Prober {
    private let roots: TrustRoots
    let loop = Mutex<ProbeLoop?>(nil)

    /// Makes a prober that trusts these certificates; nothing is started or read.
    public init(roots: TrustRoots = .system) {
        self.roots = roots
    }

    /// Starts one probe; nothing is learnt by one of another kind.
    @discardableResult
    public func start(
        _ probe: Probe,
        timeout: Duration,
        done: @escaping @Sendable (Observation) -> Void
    ) -> ProbeHandle {
        guard probe.isOverSession else {
            done(Observation(.nothing(.unsupported)))
            return ProbeHandle {}
        }
        let loop = loop.withLock { loop in
            let running = loop ?? ProbeLoop(roots: roots)
            loop = running
            return running
        }
        // A probe under way keeps the loop alive when the prober has gone.
        return loop.start(probe, timeout: timeout) { [loop] observation in
            withExtendedLifetime(loop) { done(observation) }
        }
    }
}

extension Probe {
    /// Whether it is one of TLS or HTTP.
    var isOverSession: Bool {
        switch self {
        case .tls, .http: true
        case .icmp, .tcp, .udp, .unix, .dns: false
        }
    }
}
