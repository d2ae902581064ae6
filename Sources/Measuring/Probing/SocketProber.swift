// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Probes targets with sockets of this process. TLS and HTTP run on a second thread, so that their cryptography does
/// not delay other probes.
///
/// Each TLS or HTTP probe opens a new connection to the given address; names are not resolved, redirects not followed,
/// and connections not reused. The second thread starts with the first such probe, and its sockets belong to the
/// network namespace of the thread that started that probe.
public final class SocketProber: Prober {
    private let roots: TrustRoots
    private let packets = ProbeLoop()
    let sessions = Mutex<ProbeLoop?>(nil)

    /// Makes a prober that trusts `roots`.
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
            // Keeps the loop alive while probes are in progress, even if the prober is released.
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
