// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A probe from its start to its end. Only the loop's thread uses it, except for `isOver`.
final class ActiveProbe: @unchecked Sendable {
    let probe: Probe
    /// The interface over which its packets must leave; nil for any.
    let interface: String?
    /// The timeout in nanoseconds.
    let timeout: Int64
    private let done: @Sendable (Observation) -> Void
    /// Whether the probe has finished or was cancelled: only the first call of `end` counts.
    private let isOver = Atomic(false)

    /// The probe's number in the loop, which is unique, and increases with each probe.
    var number: UInt64 = 0
    /// When the probe started to wait for the target, on CLOCK_MONOTONIC; nil while it still waits for a descriptor or
    /// for room in the socket's buffer.
    var sent: Int64?
    /// The same time on CLOCK_REALTIME, by which the kernel stamps received packets.
    var sentWallTime: Int64 = 0
    var work: (any ProbeWork)?

    /// - Parameter done: called once, unless the probe is cancelled.
    init(_ probe: Probe, timeout: Duration, done: @escaping @Sendable (Observation) -> Void) {
        (self.probe, interface) = (probe.plain, probe.interface)
        self.timeout = max(timeout.wholeNanoseconds, 0)
        self.done = done
    }

    /// When the probe times out; nil while it has not been sent.
    var deadline: Int64? { sent.map { $0 &+ timeout } }

    /// Reports the observation, unless the probe has already ended.
    func end(_ observation: Observation) {
        if end() { done(observation) }
    }

    /// Ends the probe without reporting; false if it had already ended.
    @discardableResult
    func end() -> Bool {
        isOver.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    /// Whether the probe has finished or was cancelled.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }
}

/// The requests of other threads to the probe loop.
struct LoopRequests: Sendable {
    var starts: [ActiveProbe] = []
    var cancellations: [ActiveProbe] = []
}

/// A time at which the loop has to check a probe.
struct ProbeTimer: Comparable {
    /// The time in nanoseconds on CLOCK_MONOTONIC.
    let time: Int64
    let probe: UInt64

    static func < (left: Self, right: Self) -> Bool { left.time < right.time }
}

extension Duration {
    /// The duration in whole nanoseconds, limited to a hundred years, so that adding a clock's time does not overflow.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, -Self.century), Self.century) * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private static let century: Int64 = 3_153_600_000
}
