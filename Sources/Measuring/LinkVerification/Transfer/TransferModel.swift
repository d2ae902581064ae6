// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
package import LinkProfiles

/// The goodput of one TCP connection on a link: both lanes' pipelines, and a sender with CUBIC at the kernel's settings.
///
/// The receiver takes all at once and its window never limits the sender, as the kernel's grows with what comes.
package struct TransferModel: Sendable {
    let lanes: (data: LaneConditions, answers: LaneConditions)
    let direction: Direction
    private let isIPv6: Bool
    /// The most segments that may be under way; nil for any number.
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

    /// The bytes of a full segment at an MTU of 1,500, with time stamps (RFC 7323).
    package var segmentBytes: Int { isIPv6 ? 1_428 : 1_448 }
    static let fullFrame = 1_514
    /// The frame of a packet without data.
    var emptyFrame: Int { isIPv6 ? 86 : 66 }
    var openingFrame: Int { isIPv6 ? 94 : 74 }

    /// Whether what happens differs from seed to seed.
    var isRandom: Bool {
        lanes.data.isRandom || lanes.answers.isRandom
    }

    /// How long a client tries to connect.
    package static let connectTimeout = Duration.seconds(15)

    /// The bytes that the receiver has in order, so long after the client has connected.
    package func bytes(in time: Duration, seed: UInt64) -> Int {
        var run = TransferRun(self, seed: seed)
        guard let (connected, begin) = run.open(before: Self.connectTimeout.nanoseconds) else { return 0 }
        return run.transfer(from: begin, until: connected + time.nanoseconds) * segmentBytes
    }

    /// The delay of a packet and its answer by the figures.
    var delay: Duration { (lanes.data.base.delay ?? .zero) + (lanes.answers.base.delay ?? .zero) }

    /// The loss on the data's path.
    var loss: Double { lanes.data.base.loss?.meanLoss ?? 0 }

    /// About how many bits a second it carries in the long run: what the rate leaves for data, or what CUBIC makes of random
    /// losses (RFC 9438, 5.1) where that is less; nil if nothing limits it, or too much is lost.
    package var expectedRate: Double? {
        let figures = lanes.data.base
        // Where more is lost, a connection waits for the kernel's timers most of the time.
        let losses = [figures, lanes.answers.base].map { $0.loss?.meanLoss ?? 0 }
        guard losses.allSatisfy({ $0 < 0.1 }) else { return nil }
        let share = Double(segmentBytes) / Double(Self.fullFrame)
        let rate = (figures.trace.flatMap { lanes.data.traces[$0]?.meanRate } ?? figures.rate).map {
            Double($0.bitsPerSecond) * share
        }
        let loss = losses[0]
        let trip = delay / .seconds(1)
        // Without a delay, the machine's own limits it.
        guard loss > 0, trip >= 0.001 else { return rate }
        let root = (trip / loss).squareRoot()
        let window = max(1.054 * root * root.squareRoot(), (1.5 / loss).squareRoot())
        let lossy = window * Double(segmentBytes) * 8 / trip
        return min(rate ?? .infinity, lossy)
    }

    /// The most bytes that a link with one rate carries; nil for another one.
    func maximumBytes(in time: Duration) -> Double? {
        let figures = lanes.data.base
        guard let rate = figures.rate, figures.trace == nil, lanes.data.steps.isEmpty else { return nil }
        let wire = figures.overhead?.wireBytes(ofFrame: Self.fullFrame) ?? Self.fullFrame
        return rate.bytes(in: time) * Double(segmentBytes) / Double(wire)
    }
}
