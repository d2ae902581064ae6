// SPDX-License-Identifier: Apache-2.0

/// How evidence becomes a verdict.
public struct Policy: Hashable, Sendable {
    /// Between probes of one target.
    public var interval = Duration.seconds(2)
    /// The same while the verdict is uncertain.
    public var fastInterval = Duration.milliseconds(500)
    /// The same while the target is unreachable.
    public var downInterval = Duration.seconds(5)
    /// How long an answer may take.
    public var timeout = Duration.seconds(1)
    /// The same for an answer over TLS or HTTP, with its connection.
    public var sessionTimeout = Duration.seconds(5)
    /// How many answers in a row bring an unreachable target back.
    public var rise = 2
    /// How many failures in a row make it unreachable.
    public var fall = 3
    /// How many probes, and for how long, count for loss and round-trip times.
    public var windowSamples = 60
    /// See `windowSamples`.
    public var windowTime = Duration.seconds(60)
    /// Degraded above this 95th percentile of the round-trip times.
    public var slowRoundTrip = Duration.milliseconds(270)
    /// Degraded above this share of lost probes.
    public var lossRaise = 0.05
    /// No longer degraded below this share, `lossClearSamples` times in a row.
    public var lossClear = 0.02
    /// See `lossClear`.
    public var lossClearSamples = 5
    /// What one change between reachable and not adds to the penalty (RFC 2439).
    public var flapPenalty = 1000.0
    /// In what time the penalty halves.
    public var flapHalfLife = Duration.seconds(30)
    /// Above this penalty changes are no longer reported.
    public var flapSuppress = 2500.0
    /// Below this penalty they are reported again.
    public var flapReuse = 750.0
    /// After so many intervals without evidence nothing is known any more.
    public var staleIntervals = 3

    /// How long the look-up of a name may take.
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
