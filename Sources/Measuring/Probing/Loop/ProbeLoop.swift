// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// Probes targets by ICMP, TCP, UDP, unix sockets and DNS, thousands at once on one dedicated thread.
///
/// A probe's timeout starts when its packet is sent. If no descriptor is available, a probe waits for one for up to one
/// more timeout, and then ends with `nothing(resources)`, which is not held against the target. TLS and HTTP are
/// supported only if the loop was given certificates to trust; ``SocketProber`` uses a separate loop for them.
public final class ProbeLoop: Prober {
    private let mailbox: Mailbox<LoopRequests>

    /// Starts the loop in the network namespace of the calling thread.
    ///
    /// - Parameters:
    ///   - descriptors: the maximum number of open sockets; nil for what RLIMIT_NOFILE allows, whose soft limit is
    ///     raised as needed, up to the hard limit.
    ///   - roots: the certificates to trust; nil for a loop without TLS and HTTP.
    public convenience init(descriptors: Int? = nil, roots: TrustRoots? = nil) {
        self.init(descriptors: descriptors, roots: roots, prepare: {})
    }

    /// Starts the loop, and calls `prepare` first on its thread: a network namespace that `prepare` enters is used by
    /// the probes.
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

    /// Starts probes together, which is cheaper than one by one: one wake-up, and one call for many ICMP packets.
    /// `done` is called on the loop's thread.
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
