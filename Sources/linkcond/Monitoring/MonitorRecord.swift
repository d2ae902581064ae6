// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinkProfiles
import LinuxSystem
import Reachability
import Sandboxing

/// What a monitor beside a command adds to the events of the run: its verdicts, and the sockets by which it probes, so
/// that they are not taken for the command's.
struct MonitorRecord {
    private let file: EventFile
    private let policy: Policy
    /// Nanoseconds since 1970 at zero of the events' clock.
    private let epoch = lc_wall_time() - lc_monotonic_time()

    /// Appends to the open file `descriptor`, to which other processes append, too.
    init(descriptor: CInt, _ policy: Policy) {
        file = EventFile(descriptor)
        self.policy = policy
    }

    /// Notes that nothing is known of the targets yet, and each socket from now on.
    func begin(_ targets: [Target]) {
        let now = RealClock.now
        for target in targets {
            file.append(
                JSON(
                    ("time", .number(now)),
                    ("event", "monitor"),
                    ("target", .text(target)),
                    ("peer", .text(target.peer)),
                    ("status", .text(Verdict.State.unknown.rawValue)),
                    ("reachable", .bool(false)),
                    ("interval", .number(policy.interval.nanoseconds))
                )
            )
        }
        ProbeConnections.observe { [self] connection in
            file.append(
                JSON(
                    ("time", .number(RealClock.now)),
                    ("event", "probe"),
                    ("client", .text(connection.client)),
                    ("server", .text(connection.server)),
                    ("transport", connection.isTCP ? "tcp" : "udp")
                )
            )
        }
    }

    /// Adds the verdicts of events.
    func add(_ events: [Event]) {
        for event in events {
            guard let status = event.status else { continue }
            switch event.kind {
            case .initial, .stateChanged, .reasonChanged: break
            default: continue
            }
            let tolerance = policy.tolerance(of: status.target, isReachable: status.isReachable)
            file.append(
                JSON(
                    ("time", .number(epoch + event.time.nanoseconds)),
                    ("event", "monitor"),
                    ("target", .text(status.target)),
                    ("peer", .text(status.target.peer)),
                    ("addresses", .list(status.addresses.map { JSON(.string("\($0.address)")) })),
                    ("status", .text(status.state.rawValue)),
                    ("reachable", .bool(status.isReachable)),
                    ("reason", .text(status.reason)),
                    ("interval", .number(tolerance.interval.nanoseconds)),
                    ("bound", .number(tolerance.bound.nanoseconds))
                )
            )
        }
    }
}

extension MonitorTask {
    /// Watches targets beside a command; nil if there are none.
    ///
    /// - Parameter record: the descriptor of the run's events; nil for none.
    init?(_ targets: [Target], record: CInt? = nil) {
        guard !targets.isEmpty else { return nil }
        let hasPaths = targets.contains { if case .unix = $0 { true } else { false } }
        self.init(descriptor: record, connectsToPaths: hasPaths) {
            signal(SIGPIPE, SIG_IGN)
            do {
                let policy = Policy()
                let record = record.map { MonitorRecord(descriptor: $0, policy) }
                let session = try Failure.catching {
                    try MonitorSession(targets, policy, goal: .time(nil), style: .lines, record: record)
                }
                return session.run()
            } catch {
                Console.failure((error as? Failure)?.message ?? "internal error: \(error)")
                return 1
            }
        }
    }
}

extension Policy {
    /// How long a verdict may be out of date: the time between two probes, and after the first that contradicts it, how
    /// long it takes for as many as are needed, one after the other.
    fileprivate func tolerance(of target: Target, isReachable: Bool) -> (interval: Duration, bound: Duration) {
        let timeout =
            switch target {
            case .tls, .http, .internet: sessionTimeout
            default: timeout
            }
        let needed = isReachable ? fall : rise
        return (isReachable ? interval : downInterval, timeout * needed + fastInterval * (needed - 1))
    }
}

extension Target {
    /// "HOST:PORT", or "HOST" where no port matters; nil for what is no host.
    fileprivate var peer: String? {
        switch self {
        case .internet, .link, .unix: nil
        case .host(let host), .icmp(let host): host
        case .tcp(let place), .udp(let place), .tls(let place): "\(place)"
        case .http(let question): "\(Endpoint(question.host, question.port))"
        case .dns(let server, _, _): "\(server)"
        }
    }
}
