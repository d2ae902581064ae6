// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reachability

extension Linkcond {
    struct Monitor: ParsableCommand {
        static let configuration = CommandConfiguration(
            .monitor,
            abstract: "Watch which targets can be reached, and why others cannot.",
            discussion: """
                TARGET is a host, icmp://HOST, tcp://HOST:PORT, udp://HOST:PORT (echo), tls://HOST, https://HOST/PATH \
                (with #status=204&body=words for what to expect), dns://SERVER/NAME, dns+tcp://, unix:PATH, link:DEV, \
                internet, or @FILE with one a line. "TARGET over DEV" sends the probes over that interface.

                Runs until interrupted, and then sums up. Exit status: 0; with --once and --wait 1 where a target is \
                not reachable; 65 for mistakes in a list of targets.
                """,
            examples: "monitor https://example.org tcp://db.example.org:5432",
            "monitor --wait 30s https://localhost:8443"
        )

        @Argument(help: ArgumentHelp("What to watch.", valueName: "TARGET"))
        var target: [String] = []

        @OptionGroup var options: MonitorOptions

        @Flag(name: .long, help: "Print each event as a line of JSON.")
        var json = false

        @Flag(name: .long, help: "With --json: print each probe, too.")
        var samples = false

        @Flag(name: .long, help: "Find out once how each target stands, print that, and end.")
        var once = false

        @Option(
            name: .long,
            help: ArgumentHelp("Wait until all targets can be reached, this long at most.", valueName: "TIME"),
            transform: MonitorOptions.time
        )
        var wait: Duration?

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("End after this time.", valueName: "TIME"),
            transform: MonitorOptions.time
        )
        var duration: Duration?

        @Option(
            name: .long,
            help: ArgumentHelp("Serve Prometheus' text format at HOST:PORT or unix:PATH.", valueName: "ADDRESS")
        )
        var metrics: String?

        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        mutating func validate() throws {
            guard !(once && wait != nil) else { throw ValidationError("--once and --wait exclude each other.") }
            guard !samples || json else { throw ValidationError("--samples needs --json.") }
            guard !target.isEmpty else {
                throw ValidationError("Missing a target, such as https://example.org or link:eth0.")
            }
        }

        func run() throws {
            let targets = try MonitorOptions.targets(target)
            let place = try metrics.map { try MetricsEndpoint($0) }
            // Done before the first thread starts, since existing threads stay in the old network namespace.
            _ = try namespace.join("monitor")
            let goal: MonitorSession.Goal =
                once ? .verdicts : wait.map { .allReachable(within: $0) } ?? .time(duration)
            let style: EventPrinter.Style =
                json ? .json(samples: samples) : isatty(STDOUT_FILENO) == 1 && !once ? .live : .lines
            var policy = options.policy
            // With --wait, unreachable targets are probed more often, since the user waits for them.
            if wait != nil { policy.downInterval = min(policy.downInterval, .seconds(1)) }
            let session = try MonitorSession(targets, policy, goal: goal, style: style)
            if let place { try session.serveMetrics(at: place) }
            Glibc.exit(session.run())
        }
    }
}
