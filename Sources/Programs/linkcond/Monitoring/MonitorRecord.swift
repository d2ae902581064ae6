// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import Glibc
import LinkProfiles
import LinuxSystem
import Reachability
import Sandboxing

/// Writes to a run's record what the monitor beside its command observes: verdicts, and the sockets of probes, so that
/// they are not attributed to the command.
struct MonitorRecord {
    private let file: EventFile
    private let policy: Policy
    /// The run's clock at zero of the events' clock, which stops while the machine is suspended; read for each event.
    private let epoch: () -> Int64

    /// Appends to the open file `descriptor`, to which other processes append as well.
    init(
        descriptor: CInt,
        _ policy: Policy,
        epoch: @escaping () -> Int64 = { RunClock.aheadOfMonotonic }
    ) {
        file = EventFile(descriptor)
        (self.policy, self.epoch) = (policy, epoch)
    }

    /// Records `unknown` as the first verdict of each target, and from now on the sockets of probes.
    func begin(_ targets: [Target]) {
        for target in targets {
            append(
                RunRecord.MonitorVerdict(
                    .now,
                    "\(target)",
                    peer: target.peer,
                    status: PathVerdict.State.unknown.rawValue,
                    isReachable: false,
                    interval: policy.interval
                )
            )
        }
        ProbeConnections.observe { [file] connection in
            guard let client = Endpoint(connection.client), let server = Endpoint(connection.server) else { return }
            file.append(.probe(SocketEnds(client, server, isTCP: connection.isTCP)))
        }
    }

    /// Converts a time by the events' clock to the run's clock.
    func instant(_ time: Duration) -> Instant { Instant(nanoseconds: epoch() + time.nanoseconds) }

    func add(_ events: [Event]) {
        for event in events {
            guard let status = event.status else { continue }
            switch event.kind {
            case .initial, .stateChanged, .reasonChanged: break
            default: continue
            }
            let tolerance = policy.tolerance(of: status.target, isReachable: status.isReachable)
            var verdict = RunRecord.MonitorVerdict(
                instant(event.time),
                "\(status.target)",
                peer: status.target.peer,
                status: status.state.rawValue,
                isReachable: status.isReachable,
                reason: status.reason.map { "\($0)" },
                interval: tolerance.interval,
                bound: tolerance.bound
            )
            verdict.addresses = status.addresses.map { "\($0.address)" }
            append(verdict)
        }
    }

    private func append(_ verdict: RunRecord.MonitorVerdict) { file.append(.monitor(verdict), at: verdict.time) }
}

extension MonitorTask {
    /// Makes a task that watches targets beside a command; nil if there are none.
    init?(_ targets: [Target]) {
        guard !targets.isEmpty else { return nil }
        let hasPaths = targets.contains { if case .unix = $0 { true } else { false } }
        self.init(connectsToPaths: hasPaths) { events in
            signal(SIGPIPE, SIG_IGN)
            do {
                let policy = Policy()
                let record = events.map { MonitorRecord(descriptor: $0, policy) }
                return try MonitorSession(targets, policy, goal: .time(nil), style: .lines, record: record).run()
            } catch {
                Console.failure(Failure(error).message)
                return 1
            }
        }
    }
}

extension Policy {
    /// How long a verdict may be out of date: the interval between two probes, and (`bound`) the time from the first
    /// probe that contradicts the verdict to the last one needed to change it.
    fileprivate func tolerance(of target: Target, isReachable: Bool) -> (interval: Duration, bound: Duration) {
        let timeout =
            switch target.plain {
            case .tls, .http, .internet: sessionTimeout
            default: timeout
            }
        let needed = isReachable ? fall : rise
        return (isReachable ? interval : downInterval, timeout * needed + fastInterval * (needed - 1))
    }
}

extension Target {
    /// The target's host, with the port if it has one; nil for targets without a host.
    fileprivate var peer: Peer? {
        switch self {
        case .internet, .link, .unix: nil
        case .host(let host), .icmp(let host): Peer(parsing: host)
        case .tcp(let place), .udp(let place), .tls(let place): Peer(parsing: "\(place)")
        case .http(let question): Peer(parsing: "\(Endpoint(question.host, question.port))")
        case .dns(let server, _, _): Peer(parsing: "\(server)")
        case .over(let target, _): target.peer
        }
    }
}
