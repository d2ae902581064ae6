// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
package import LinkProfiles

/// Models the goodput of one TCP connection on a link: the pipelines of both lanes, and a sender with CUBIC and the
/// kernel's settings.
///
/// The receiver reads all data at once, and its window never limits the sender, since the kernel's window grows with
/// the data.
package struct TransferModel: Sendable {
    let lanes: (data: LaneConditions, answers: LaneConditions)
    let direction: Direction
    private let isIPv6: Bool
    /// The maximum number of segments in flight; nil for no limit.
    package var maximumInFlight: Int?

    package init(
        _ profile: Profile,
        _ direction: Direction,
        isIPv6: Bool,
        traces: [TraceReference: Trace] = [:]
    ) {
        func conditions(_ direction: Direction) -> LaneConditions {
            LaneConditions(profile, direction == .uplink ? .uplink : .downlink, traces: traces)
        }
        lanes = (conditions(direction), conditions(direction == .uplink ? .downlink : .uplink))
        (self.direction, self.isIPv6) = (direction, isIPv6)
    }

    /// The data bytes of a full segment at an MTU of 1,500, with the time stamp option (RFC 7323).
    package var segmentBytes: Int { isIPv6 ? 1_428 : 1_448 }
    static let fullFrame = 1_514
    /// The frame size of a segment without data.
    var emptyFrame: Int { isIPv6 ? 86 : 66 }
    var openingFrame: Int { isIPv6 ? 94 : 74 }

    /// Whether the goodput depends on the seed.
    var isRandom: Bool {
        lanes.data.isRandom || lanes.answers.isRandom
    }

    /// How long a client tries to connect.
    package static let connectTimeout = Duration.seconds(15)

    /// Whether the goodput depends on the moment at which the client connects.
    var isScheduled: Bool {
        [lanes.data, lanes.answers].contains { !$0.steps.isEmpty || $0.base.trace != nil }
    }

    /// Models the bytes that the receiver has in order at `time` after the client connected.
    ///
    /// - Parameter start: the time after the conditions took effect at which the client begins to connect.
    package func bytes(in time: Duration, seed: UInt64, start: Duration = .zero) -> Int {
        var run = TransferRun(self, seed: seed)
        let start = start.nanoseconds
        guard let (connected, begin) = run.open(at: start, before: start + Self.connectTimeout.nanoseconds) else {
            return 0
        }
        return run.transfer(from: begin, until: connected + time.nanoseconds) * segmentBytes
    }

    /// The round-trip delay of the profile's figures.
    var delay: Duration { (lanes.data.base.delay ?? .zero) + (lanes.answers.base.delay ?? .zero) }

    /// The loss in the direction of the data.
    var loss: Double { lanes.data.base.lostOrDamaged }

    /// The expected goodput in bits per second in the long run: the rate's share for data, or CUBIC's response to
    /// random losses (RFC 9438, 5.1) if that is less. Nil if nothing limits the connection, or too much is lost.
    package var expectedRate: Double? {
        let figures = lanes.data.base
        // With more losses, the connection mostly waits for the kernel's timers.
        let losses = [figures, lanes.answers.base].map(\.lostOrDamaged)
        guard losses.allSatisfy({ $0 < 0.1 }) else { return nil }
        let share = Double(segmentBytes) / Double(Self.fullFrame)
        let rate = (figures.trace.flatMap { lanes.data.traces[$0]?.meanRate } ?? figures.rate).map {
            Double($0.bitsPerSecond) * share
        }
        let loss = losses[0]
        let trip = delay / .seconds(1)
        // Without a delay, the machine's delay limits the connection.
        guard loss > 0, trip >= 0.001 else { return rate }
        let root = (trip / loss).squareRoot()
        let window = max(1.054 * root * root.squareRoot(), (1.5 / loss).squareRoot())
        let lossy = window * Double(segmentBytes) * 8 / trip
        return min(rate ?? .infinity, lossy)
    }

    /// The most data bytes that a link with a constant rate carries in `time`; nil for other links.
    func maximumBytes(in time: Duration) -> Double? {
        let figures = lanes.data.base
        guard let rate = figures.rate, figures.trace == nil, lanes.data.steps.isEmpty else { return nil }
        let wire = figures.overhead?.wireBytes(ofFrame: Self.fullFrame) ?? Self.fullFrame
        return rate.bytes(in: time) * Double(segmentBytes) / Double(wire)
    }
}

extension Impairments {
    /// The share of packets that TCP does not get: a checksum drops the damaged ones.
    var lostOrDamaged: Double { (loss?.meanLoss ?? 0) + (meanCorruption ?? 0) }
}
