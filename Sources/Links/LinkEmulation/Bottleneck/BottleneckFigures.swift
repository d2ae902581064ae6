// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The figures of the bottleneck that change with the schedule, except for its rate: the queue's capacity, and what the link
/// layer adds to a frame.
struct BottleneckFigures: Sendable {
    private struct Interval: Sendable {
        let capacity: QueueCapacity
        let overhead: Overhead?
        let isHold: Bool
        let rate: BitRate?
    }

    /// The limit of a frame's bytes on the wire, far above any real frame with overhead. It keeps the frame's work in
    /// the transmitter, its bytes × 8 × `RateSource.bit`, within 64 bits.
    private static let largestWireFrame = 1 << 30

    private var timeline: IntervalCursor
    private let intervals: [Interval]

    /// Whether the lane has a rate at any time; otherwise packets skip the bottleneck.
    let isLimited: Bool

    init(_ conditions: LaneConditions, start: LinkTime) {
        let intervals = conditions.intervals
        let rates = intervals.map { Self.nominalRate($0.impairments, conditions.traces) }
        isLimited = rates.contains { $0 != nil }
        timeline = IntervalCursor(starts: intervals.map(\.start), period: conditions.period?.nanoseconds, origin: start)
        self.intervals = intervals.indices.map { index in
            let impairments = intervals[index].impairments
            let isHold = impairments.rate?.isZero ?? false
            // While the schedule holds packets back (a rate of zero), the buffer's size follows the previous rate above
            // zero, or else the next one.
            let before = rates[..<index].reversed() + rates[index...].reversed()
            let lasting = before.first { $0?.isZero != true } ?? rates[index]
            let rate = isHold ? lasting : rates[index]
            var capacity = QueueCapacity(impairments.queue, rate: rate, overhead: impairments.overhead)
            if isHold { capacity.fullReason = .outage }
            return Interval(
                capacity: capacity,
                overhead: impairments.overhead,
                isHold: isHold,
                rate: lasting
            )
        }
    }

    /// Returns the rate that determines the buffer's size. For a trace, its mean rate: a real link's buffer does not
    /// change with its momentary rate.
    private static func nominalRate(_ impairments: Impairments, _ traces: [TraceReference: Trace]) -> BitRate? {
        guard let trace = impairments.trace.map({ traces[$0] }) ?? nil else { return impairments.rate }
        if let mean = trace.meanRate { return mean }
        guard case .rates(let steps) = trace.content else { return nil }
        return steps.last?.rate
    }

    @inline(__always)
    mutating func advance(to time: Int64) { timeline.advance(to: time) }

    @inline(__always)
    var capacity: QueueCapacity { intervals[timeline.index].capacity }

    /// Whether a step of the schedule holds packets back.
    @inline(__always)
    var isHold: Bool { intervals[timeline.index].isHold }

    /// The bytes of a frame on the wire.
    @inline(__always)
    func wireBytes(_ bytes: UInt32) -> UInt32 { Self.wireBytes(bytes, intervals[timeline.index].overhead) }

    /// The bytes on the wire of a frame that comes at `time`, without advancing.
    func wireBytes(_ bytes: UInt32, at time: Int64) -> UInt32 {
        guard time >= timeline.end else { return wireBytes(bytes) }
        var ahead = timeline
        ahead.advance(to: time)
        return Self.wireBytes(bytes, intervals[ahead.index].overhead)
    }

    /// The time in nanoseconds that so many full-size packets take at the present rate, at most `longest`.
    func length(of packets: Int64, longest: Int64) -> Int64 {
        guard let rate = intervals[timeline.index].rate, !rate.isZero else { return longest }
        let time = rate.time(forBytes: Double(packets) * Double(Frame.fullSizeBytes)) / .nanoseconds(1)
        return Int64(min(time, Double(longest)))
    }

    @inline(__always)
    private static func wireBytes(_ bytes: UInt32, _ overhead: Overhead?) -> UInt32 {
        guard let overhead else { return bytes }
        return UInt32(min(max(overhead.wireBytes(ofFrame: Int(bytes)), 1), largestWireFrame))
    }
}
