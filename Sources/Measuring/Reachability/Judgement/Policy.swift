// SPDX-License-Identifier: Apache-2.0

/// The policy by which evidence becomes a verdict.
public struct Policy: Hashable, Sendable {
    /// Between probes of one target.
    public var interval = Duration.seconds(2)
    /// The interval while the verdict is uncertain.
    public var fastInterval = Duration.milliseconds(500)
    /// The interval while the target is unreachable.
    public var downInterval = Duration.seconds(5)
    /// The time that an answer may take.
    public var timeout = Duration.seconds(1)
    /// The timeout of an answer over TLS or HTTP, with its connection.
    public var sessionTimeout = Duration.seconds(5)
    /// The number of answers in a row that bring an unreachable target back.
    public var rise = 2
    /// The number of failures in a row that make it unreachable.
    public var fall = 3
    /// The number of probes, and the time, that count for loss and round-trip times.
    public var windowSamples = 60
    /// See `windowSamples`.
    public var windowTime = Duration.seconds(60)
    /// Degraded above this 95th percentile of the round-trip times.
    public var slowRoundTrip = Duration.milliseconds(270)
    /// Degraded above this share of lost probes.
    public var lossRaise = 0.05
    /// The target is no longer degraded below this share, `lossClearSamples` times in a row.
    public var lossClear = 0.02
    /// See `lossClear`.
    public var lossClearSamples = 5
    /// The penalty of one change between reachable and not (RFC 2439).
    public var flapPenalty = 1000.0
    /// The time in which the penalty halves.
    public var flapHalfLife = Duration.seconds(30)
    /// Above this penalty changes are no longer reported.
    public var flapSuppress = 2500.0
    /// Below this penalty they are reported again.
    public var flapReuse = 750.0
    /// After so many intervals without evidence nothing is known any more.
    public var staleIntervals = 3

    /// The time that the look-up of a name may take.
    public var resolveTimeout = Duration.seconds(10)
    /// Reference targets: if every watched one fails, this host counts as offline.
    public var anchors: Set<Target> = []
    /// Requests that show whether the internet is reachable without a portal: a portal would replace the known answers
    /// of these servers, which systems and browsers ask for the same purpose.
    public var internetChecks = [
        HTTPQuestion(host: "connectivitycheck.gstatic.com", port: 80, path: "/generate_204", status: 204),
        HTTPQuestion(host: "detectportal.firefox.com", port: 80, path: "/success.txt", status: 200, body: "success"),
        HTTPQuestion(isSecure: true, host: "www.gstatic.com", port: 443, path: "/generate_204", status: 204),
    ]

    /// The usual policy.
    public init() {}
}
