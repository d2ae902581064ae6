// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Sends TLS and HTTP probes (`Probe.tls`, `Probe.http`).
///
/// Each probe opens its own connection to the given address; no name is resolved, no redirect followed, and no
/// connection reused. All probes run on one thread, apart from other probers' packets, which the cryptography of a
/// handshake would delay. The thread starts with the first probe. It and the sockets belong to the network namespace of
/// the thread that started that probe.
public final class WebProber: Prober {
    private let roots: TrustRoots
    let loop = Mutex<ProbeLoop?>(nil)

    /// Makes a prober that trusts these certificates; nothing is started or read.
    public init(roots: TrustRoots = .system) {
        self.roots = roots
    }

    /// Starts one probe; the finding of a probe of another kind is `nothing(.unsupported)`.
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
        // A probe under way keeps the loop alive after the prober is released.
        return loop.start(probe, timeout: timeout) { [loop] observation in
            withExtendedLifetime(loop) { done(observation) }
        }
    }
}

extension Probe {
    /// Whether it is a TLS or HTTP probe.
    var isOverSession: Bool {
        switch self {
        case .tls, .http: true
        case .icmp, .tcp, .udp, .unix, .dns: false
        }
    }
}
