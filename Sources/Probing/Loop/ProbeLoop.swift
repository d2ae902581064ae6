// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

extension Reason {
    /// The prober was ended before the target's answer.
    public static let stopped = Reason(.monitor, "stopped")
}

/// Asks targets by ICMP, TCP, UDP, unix sockets and DNS, thousands at once on one thread of its own.
///
/// A probe's time begins when its packet leaves. A probe for which this process has no descriptor waits until another
/// ends, for one timeout at most; that is `nothing(resources)` then, and never held against the target. TLS and
/// HTTP it only knows where it was given certificates to trust; ``CombinedProber`` gives them a loop of their own.
public final class ProbeLoop: Prober {
    private let mailbox: Mailbox<LoopRequests>
    private let published = PublishedCounters()

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
        let published = published
        do throws(SystemError) {
            let mailbox = try Mailbox(LoopRequests())
            self.mailbox = mailbox
            try PosixThread.detach {
                prepare()
                ProbeEngine(mailbox, published, DescriptorBudget(fixed: descriptors), roots: roots).run()
            }
        } catch {
            preconditionFailure("no thread for the probe loop: \(error)")
        }
    }

    deinit { mailbox.close() }

    /// What belongs to no probe's observation.
    public var counters: ProbeCounters { published.value }

    /// Starts one probe; `done` is called on the loop's thread.
    @discardableResult
    public func start(
        _ probe: Probe,
        timeout: Duration,
        done: @escaping @Sendable (Observation) -> Void
    ) -> ProbeHandle {
        let active = ActiveProbe(probe, timeout: timeout, done: done)
        if !mailbox.send({ $0.starts.append(active) }) { active.end(Observation(.nothing(.stopped))) }
        return ProbeHandle { [mailbox] in
            if active.end() { mailbox.send { $0.cancellations.append(active) } }
        }
    }

    /// Starts probes together, which costs less: one wake-up, and ICMP packets that are sent by one call.
    ///
    /// - Parameters:
    ///   - batch: the probes.
    ///   - timeout: how long each may take.
    ///   - done: called once for each probe, with its place in `batch`.
    /// - Returns: what ends all that are under way.
    @discardableResult
    public func start(
        batch: [Probe],
        timeout: Duration,
        done: @escaping @Sendable (Int, Observation) -> Void
    ) -> ProbeHandle {
        let probes = batch.enumerated().map { place, probe in
            ActiveProbe(probe, timeout: timeout) { done(place, $0) }
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
