// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
package import Glibc

/// The time since the machine started, including time asleep: CLOCK_BOOTTIME. It is never set, unlike the time of day.
public enum BootClock {
    /// The time now.
    public static var now: Duration { .reading(CLOCK_BOOTTIME) }
}

/// The time of day, in nanoseconds since 1970.
package enum RealClock {
    package static var now: Int64 { time(of: CLOCK_REALTIME) }
}

/// The clock for all times of a run, in nanoseconds: the time of day at the run's start, continued by CLOCK_BOOTTIME.
/// Setting the time of day or suspending the machine does not shift it.
package enum RunClock {
    /// The environment variable that passes `origin` to processes inside a sandbox.
    package static let variable = "LINKCOND_CLOCK"
    /// The time of the machine's start, by this clock. Processes that are forked later have the same origin.
    package static let origin =
        getenv(variable).flatMap { Int64(String(cString: $0)) } ?? RealClock.now - time(of: CLOCK_BOOTTIME)

    package static var now: Int64 { origin &+ time(of: CLOCK_BOOTTIME) }

    /// Converts `instant`, by the present setting of the time of day, to this clock.
    package static func instant(ofDay instant: Int64) -> Int64 {
        instant &+ difference(of: { now }, from: { RealClock.now })
    }

    /// The lead of this clock over CLOCK_MONOTONIC, which stops while the machine is suspended.
    package static var aheadOfMonotonic: Int64 { difference(of: { now }, from: { lc_monotonic_time() }) }

    /// The lead of one clock over another. A process may be interrupted between two readings, so the closest readings
    /// are used.
    private static func difference(of clock: () -> Int64, from other: () -> Int64) -> Int64 {
        let readings = (0..<4).map { _ in
            let (before, time, after) = (other(), clock(), other())
            return (span: after &- before, difference: time &- before &- (after &- before) / 2)
        }
        return readings.min { $0.span.magnitude < $1.span.magnitude }?.difference ?? 0
    }
}

/// The offset of the time of day from the run's clock, which is unaffected when the time of day is set.
package struct CalendarOffset {
    /// The smallest change that counts as a step, in nanoseconds; smaller ones are gradual corrections of the clock.
    private static let minimum: Int64 = 500_000_000
    /// The maximum time, in nanoseconds, between the readings of the two clocks.
    private static let maximumReadingGap: Int64 = 10_000_000

    private var offset: Int64

    /// Records the present offset.
    package init() { self.init(RealClock.now - RunClock.now) }

    init(_ offset: Int64) { self.offset = offset }

    /// Records the present offset, and returns the step by which the time of day was set since the last call; nil for
    /// none.
    package mutating func change() -> Duration? {
        let before = RunClock.now
        let time = RealClock.now
        return change(to: time - before, readIn: RunClock.now - before)
    }

    mutating func change(to offset: Int64, readIn length: Int64) -> Duration? {
        let change = offset - self.offset
        guard length < Self.maximumReadingGap, change.magnitude >= Self.minimum else { return nil }
        self.offset = offset
        return .nanoseconds(change)
    }
}

/// The time that the calling thread has spent on a processor, in nanoseconds.
package enum ThreadClock {
    package static var now: Int64 { time(of: CLOCK_THREAD_CPUTIME_ID) }
}

extension Duration {
    /// Reads a clock: clock_gettime(2).
    package static func reading(_ clock: clockid_t) -> Duration { .nanoseconds(time(of: clock)) }
}

/// Nanoseconds.
private func time(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// A descriptor that becomes readable at a time of `BootClock`: timerfd_create(2). poll(2) measures its time limit by a
/// clock that stops while the machine is suspended.
package struct BootTimer {
    /// Readable when the time has come.
    package let descriptor: CInt

    /// - Throws: the kernel's error if it provides no descriptor.
    package init() throws(SystemError) {
        descriptor = try checked(lc_open_boot_timer(), "make a timer")
    }

    /// Sets the time; nil for never.
    package func set(_ time: Duration?) {
        _ = lc_set_timer(descriptor, time.map { max(1, Int64($0 / .nanoseconds(1))) } ?? 0)
    }

    package func close() { Glibc.close(descriptor) }
}

/// A clock and a function that waits; tests replace both, so that they need not wait.
public struct Pace: Sendable {
    /// The time since a fixed moment.
    public var now: @Sendable () -> Duration
    /// Waits for the given duration.
    public var sleep: @Sendable (Duration) -> Void

    /// Makes a pace.
    public init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// CLOCK_MONOTONIC and usleep(3).
    public static let real = Pace(
        now: { .reading(CLOCK_MONOTONIC) },
        sleep: { usleep(UInt32($0 / .microseconds(1))) }
    )
}
