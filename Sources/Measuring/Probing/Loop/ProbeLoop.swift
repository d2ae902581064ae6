// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// Asks targets by ICMP, TCP, UDP, unix sockets and DNS, thousands at once on one thread of its own.
///
/// A probe's time begins when its packet leaves. A probe for which this process has no descriptor waits until another
/// ends, for one timeout at most; that is `nothing(resources)` then, and never held against the target. TLS and
/// HTTP it only knows where it was given certificates to trust; ``SocketProber`` gives them a loop of their own.
public final class ProbeLoop: Prober {
    private let mailbox: Mailbox<LoopRequests>

    /// Starts the loop in this process's network.
    ///
    /// - Parameters:
    ///   - descriptors: how many sockets may be open at a time; nil for what RLIMIT_NOFILE leaves, which is raised as
    ///     far as needed, up to the hard limit.
    ///   - roots: the certificates to trust; nil for a loop without TLS and HTTP.
    public convenience init(descriptors: Int? = nil, roots: TrustRoots? = nil) {
        self.init(descriptors: descriptors, roots: roots, prepare: {})
    }

    /// Starts the loop, and with `prepare` on its thread: a network that the thread enters there is the probes'.
    package init(descriptors: Int? = nil, roots: TrustRoots? = nil, prepare: @escaping @Sendable () -> Void) {
        do throws(SystemError) {
            let mailbox = try Mailbox(LoopRequests())
            self.mailbox = mailbox
            try PosixThread.detach {
                prepare()
                ProbeEngine(mailbox, DescriptorBudget(fixed: descriptors), roots: roots).run()
            }
        } catch {
            preconditionFailure("no thread for the probe loop: \(error)")
        }
    }

    deinit { mailbox.close() }

    /// Starts probes together, which costs less: one wake-up, and ICMP packets that are sent by one call. `done` is
    /// called on the loop's thread.
    @discardableResult
    public func start(
        batch: [Probe],
        timeout: Duration,
        done: @escaping @Sendable (Int, Observation) -> Void
    ) -> ProbeHandle {
        let probes = batch.enumerated().map { index, probe in
            ActiveProbe(probe, timeout: timeout) { done(index, $0) }
        }
        if !mailbox.send({ $0.starts.append(contentsOf: probes) }) {
            for probe in probes { probe.end(Observation(.nothing(.stopped))) }
        }
        return ProbeHandle { [mailbox] in
            let cancelled = probes.filter { $0.end() }
            if !cancelled.isEmpty { mailbox.send { $0.cancellations.append(contentsOf: cancelled) } }
        }
    }
}
