// SPDX-License-Identifier: Apache-2.0

/// The policy by which evidence becomes a verdict.
public struct Policy: Hashable, Sendable {
    /// The interval between probes of one target.
    public var interval = Duration.seconds(2)
    /// The interval while the verdict is uncertain.
    public var fastInterval = Duration.milliseconds(500)
    /// The interval while the target is unreachable.
    public var downInterval = Duration.seconds(5)
    /// The longest time that an answer may take.
    public var timeout = Duration.seconds(1)
    /// The longest time for an answer over TLS or HTTP, including the connection.
    public var sessionTimeout = Duration.seconds(5)
    /// The number of answers in a row that make an unreachable target reachable.
    public var rise = 2
    /// The number of failures in a row that make a target unreachable.
    public var fall = 3
    /// The maximum number of latest probes from which loss and round-trip times are computed.
    public var windowSamples = 60
    /// The maximum age of these probes.
    public var windowTime = Duration.seconds(60)
    /// The target is degraded if the 95th percentile of the round-trip times is above this.
    public var slowRoundTrip = Duration.milliseconds(270)
    /// The target is degraded if the share of lost probes is above this.
    public var lossRaise = 0.05
    /// The target recovers from loss if the share stays below this for `lossClearSamples` probes in a row.
    public var lossClear = 0.02
    /// See `lossClear`.
    public var lossClearSamples = 5
    /// The penalty for one change between reachable and unreachable (RFC 2439).
    public var flapPenalty = 1000.0
    /// The time in which the penalty halves.
    public var flapHalfLife = Duration.seconds(30)
    /// Changes are suppressed once the penalty reaches this value.
    public var flapSuppress = 2500.0
    /// Changes are reported again once the penalty is below this value.
    public var flapReuse = 750.0
    /// The verdict becomes unknown after this many intervals without evidence.
    public var staleIntervals = 3

    /// The longest time for looking up a name.
    public var resolveTimeout = Duration.seconds(10)
    /// Reference targets: if all of those that are watched fail, this host counts as offline.
    public var anchors: Set<Target> = []
    /// Requests that show whether the internet is reachable without a portal, which would replace the known responses.
    /// Systems and browsers use these servers for the same purpose.
    public var internetChecks = [
        HTTPQuestion(host: "connectivitycheck.gstatic.com", port: 80, path: "/generate_204", status: 204),
        HTTPQuestion(host: "detectportal.firefox.com", port: 80, path: "/success.txt", status: 200, body: "success"),
        HTTPQuestion(isSecure: true, host: "www.gstatic.com", port: 443, path: "/generate_204", status: 204),
    ]

    /// Makes the default policy.
    public init() {}
}
