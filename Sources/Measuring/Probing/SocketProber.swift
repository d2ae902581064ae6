// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Asks targets over sockets of this process: by packets and connections on one thread, by TLS and HTTP on another, so
/// that the cryptography of a handshake delays no packet.
///
/// Each TLS or HTTP probe opens its own connection to the given address; no name is resolved, no redirect followed, and
/// no connection reused. Their thread starts with the first of them. It and its sockets belong to the network namespace
/// of the thread that started that probe.
public final class SocketProber: Prober {
    private let roots: TrustRoots
    private let packets = ProbeLoop()
    let sessions = Mutex<ProbeLoop?>(nil)

    /// Makes a prober that trusts these certificates.
    public init(roots: TrustRoots = .system) {
        self.roots = roots
    }

    /// Starts probes together.
    @discardableResult
    public func start(
        batch: [Probe],
        timeout: Duration,
        done: @escaping @Sendable (Int, Observation) -> Void
    ) -> ProbeHandle {
        let parts = Dictionary(grouping: batch.indices) { batch[$0].isOverSession }
        let handles = parts.map { isOverSession, indices in
            let loop = isOverSession ? sessionLoop : packets
            // Probes under way keep the loop alive after the prober is released.
            return loop.start(batch: indices.map { batch[$0] }, timeout: timeout) { index, observation in
                withExtendedLifetime(loop) { done(indices[index], observation) }
            }
        }
        return ProbeHandle { for handle in handles { handle.cancel() } }
    }

    private var sessionLoop: ProbeLoop {
        sessions.withLock { loop in
            let running = loop ?? ProbeLoop(roots: roots)
            loop = running
            return running
        }
    }
}

extension Probe {
    fileprivate var isOverSession: Bool {
        switch plain {
        case .tls, .http: true
        case .icmp, .tcp, .udp, .unix, .dns, .over: false
        }
    }
}
