// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A probe from its start to its end. The loop's thread has it to itself, but for `isOver`.
final class ActiveProbe: @unchecked Sendable {
    let probe: Probe
    /// The interface that its packets must leave over; nil for any.
    let interface: String?
    /// Nanoseconds.
    let timeout: Int64
    private let done: @Sendable (Observation) -> Void
    /// Whether it has been answered or cancelled: the first to set it decides.
    private let isOver = Atomic(false)

    /// The probe's number in the loop, which grows with each probe.
    var number: UInt64 = 0
    /// When the target began to be waited for, on CLOCK_MONOTONIC; nil before, while it waits for a descriptor or
    /// room in a buffer.
    var sent: Int64?
    /// The time on CLOCK_REALTIME, in which the kernel stamps answers.
    var sentWallTime: Int64 = 0
    var work: (any ProbeWork)?

    /// - Parameter done: called once, unless the probe is cancelled.
    init(_ probe: Probe, timeout: Duration, done: @escaping @Sendable (Observation) -> Void) {
        (self.probe, interface) = (probe.plain, probe.interface)
        self.timeout = max(timeout.wholeNanoseconds, 0)
        self.done = done
    }

    /// The time at which the target has been waited for long enough.
    var deadline: Int64? { sent.map { $0 &+ timeout } }

    /// Says what was seen, unless the probe has ended already.
    func end(_ observation: Observation) {
        if end() { done(observation) }
    }

    /// Ends it without a word; false if it had ended already.
    @discardableResult
    func end() -> Bool {
        isOver.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    /// Whether it was cancelled or answered.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }
}

/// The requests of other threads to the probe loop.
struct LoopRequests: Sendable {
    var starts: [ActiveProbe] = []
    var cancellations: [ActiveProbe] = []
}

/// A time at which the loop has to look at a probe.
struct ProbeTimer: Comparable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    let time: Int64
    let probe: UInt64

    static func < (left: Self, right: Self) -> Bool { left.time < right.time }
}

extension Duration {
    /// Whole nanoseconds, a hundred years at most, so that a sum with the time of a clock does not overflow.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, -Self.century), Self.century) * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private static let century: Int64 = 3_153_600_000
}
