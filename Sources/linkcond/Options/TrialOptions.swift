// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import Sandboxing

/// The options that commands with many runs pass on to each.
struct TrialOptions: ParsableArguments {
    @Flag(name: .long, help: "No uplink: the command has loopback only.")
    var offline = false

    @Option(name: .long, help: "Relay this port of the host's loopback: \"5432\", \"53/udp\", \"auto\"; repeatable.")
    var hostPort: [String] = []

    @Option(name: .long, help: "End each run after this time (\"90\" or \"90s\", \"5m\"), with status 124.")
    var timeout: String?

    @Option(name: .long, help: "The seed of the random sequences, to repeat a run.")
    var seed: UInt64?

    @Option(name: .long, help: "Run the command as this user, with that user's groups and HOME (root only).")
    var user: String?

    /// So many runs each take some memory until the last has ended.
    static let mostRuns = 100_000
    /// Each run has a network and several processes.
    static let mostJobs = 1000

    mutating func validate() throws {
        for port in hostPort where port != "auto" && HostPort(port) == nil {
            throw ValidationError("'\(port)' is not a port such as 5432 or 53/udp, nor auto")
        }
        if let timeout, Duration(limit: timeout).map({ $0 > .zero }) != true {
            throw ValidationError("'\(timeout)' is not a time such as \"90s\" or \"5m\"")
        }
        guard user == nil || geteuid() == 0 else { throw ValidationError("--user needs root.") }
    }

    /// The time limit of each run.
    var limit: Duration? { timeout.flatMap { Duration(limit: $0) } }

    /// The arguments of `run`, without those of time and seed.
    var arguments: [String] {
        (offline ? ["--offline"] : []) + hostPort.flatMap { ["--host-port", $0] } + (user.map { ["--user", $0] } ?? [])
    }
}
