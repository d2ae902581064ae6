// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import InternetAddresses
import LinkProfiles
import LinuxSystem
import Reachability

/// The reference targets, and the intervals and timeouts of probes.
struct MonitorOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Between probes of one target (\"500ms\"; 2s unless told).", valueName: "TIME"),
        transform: MonitorOptions.time
    )
    var interval: Duration?

    @Option(
        name: .customLong("timeout"),
        help: ArgumentHelp("How long an answer may take (1s; 5s for TLS and HTTP).", valueName: "TIME"),
        transform: MonitorOptions.time
    )
    var limit: Duration?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Reference target: if every anchor fails, this host counts as offline. Repeatable.",
            valueName: "TARGET"
        ),
        transform: { try MonitorOptions.target($0) }
    )
    var anchor: [Target] = []

    var policy: Policy {
        var policy = Policy()
        if let interval {
            policy.interval = interval
            policy.fastInterval = min(policy.fastInterval, interval)
            policy.downInterval = max(interval, min(policy.downInterval, interval * 2.5))
        }
        if let limit { (policy.timeout, policy.sessionTimeout) = (limit, limit) }
        policy.anchors = Set(anchor)
        return policy
    }

    static func time(_ text: String) throws -> Duration {
        guard let limit = Duration(limit: text), limit >= .milliseconds(10) else {
            throw ValidationError("'\(text)' is no time such as \"2s\" or \"500ms\", of 10 ms at least")
        }
        return limit
    }

    static func target(_ text: String) throws -> Target {
        do {
            return try Target(text)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// Parses targets from the command line; "@FILE" stands for the targets in a file, "@-" for those in standard
    /// input.
    static func targets(_ words: [String]) throws -> [Target] {
        var targets: [Target] = []
        for word in words {
            guard word.hasPrefix("@") else {
                targets.append(try target(word))
                continue
            }
            let list = TargetList(try read(String(word.dropFirst())))
            guard list.mistakes.isEmpty else {
                let shown = list.mistakes.prefix(20).map { "\(word.dropFirst()): \($0)" }
                let rest = list.mistakes.count - shown.count
                let more = rest > 0 ? ["and \(rest) more"] : []
                throw Failure(.badProfile, (shown + more).joined(separator: "\n"))
            }
            targets += list.targets
        }
        var seen: Set<Target> = []
        let unique = targets.filter { seen.insert($0).inserted }
        guard !unique.isEmpty else {
            throw ValidationError("Missing a target, such as https://example.org or link:eth0.")
        }
        return unique
    }

    private static func read(_ path: String) throws -> [UInt8] {
        do throws(SystemError) {
            return path == "-"
                ? try SmallFile.read(STDIN_FILENO, named: path, limit: maximumBytes)
                : try SmallFile.read(path, followsLinks: true, limit: maximumBytes)
        } catch {
            guard error.code != EFBIG else {
                throw Failure(.badProfile, "\(path): larger than \(maximumBytes >> 20) MiB")
            }
            throw Failure(.notFound, "\(path): \(String(cString: strerror(error.code)))")
        }
    }

    private static let maximumBytes = 64 << 20
}

extension Target {
    /// The target over each of these interfaces. Only the target itself if it is on loopback, is probed without IP
    /// packets, or already has an interface.
    func over(_ interfaces: [String]) -> [Target] {
        let isLocal = host == "localhost" || host.flatMap { IPAddress($0) }?.isLoopback == true
        return switch self {
        case .link, .unix, .over: [self]
        default: isLocal ? [self] : interfaces.map { .over(self, interface: $0) }
        }
    }
}
