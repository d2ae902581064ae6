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

/// The time by which all that belongs to a run is dated, in nanoseconds: the time of day at its start, going on with
/// CLOCK_BOOTTIME. Setting the time of day, and suspending the machine, move nothing that has been dated.
package enum RunClock {
    /// The environment variable by which processes inside a sandbox know the origin.
    package static let variable = "LINKCOND_CLOCK"
    /// The machine's start, by this clock. Processes that are forked later have the same.
    package static let origin =
        getenv(variable).flatMap { Int64(String(cString: $0)) } ?? RealClock.now - time(of: CLOCK_BOOTTIME)

    package static var now: Int64 { origin &+ time(of: CLOCK_BOOTTIME) }

    /// The time that was `instant` by the time of day as it is set now.
    package static func instant(ofDay instant: Int64) -> Int64 {
        instant &+ difference(of: { now }, from: { RealClock.now })
    }

    /// The lead of this clock over CLOCK_MONOTONIC, which stops while the machine is suspended.
    package static var aheadOfMonotonic: Int64 { difference(of: { now }, from: { lc_monotonic_time() }) }

    /// The lead of one clock over another. Between two readings a process may have to wait: the closest ones count.
    private static func difference(of clock: () -> Int64, from other: () -> Int64) -> Int64 {
        let readings = (0..<4).map { _ in
            let (before, time, after) = (other(), clock(), other())
            return (span: after &- before, difference: time &- before &- (after &- before) / 2)
        }
        return readings.min { $0.span.magnitude < $1.span.magnitude }?.difference ?? 0
    }
}

/// The offset of the time of day from a run's clock, which does not follow it when it is set.
package struct CalendarOffset {
    /// Smaller changes are those of a clock that is slowly corrected, in nanoseconds.
    private static let minimum: Int64 = 500_000_000
    /// Both clocks must be read within this time to be compared.
    private static let readingTime: Int64 = 10_000_000

    private var offset: Int64

    /// Notes the offset of now.
    package init() { self.init(RealClock.now - RunClock.now) }

    init(_ offset: Int64) { self.offset = offset }

    /// The step by which the time of day was set since the last call, at least; nil if it was not.
    package mutating func change() -> Duration? {
        let before = RunClock.now
        let time = RealClock.now
        return change(to: time - before, readIn: RunClock.now - before)
    }

    mutating func change(to offset: Int64, readIn length: Int64) -> Duration? {
        let change = offset - self.offset
        guard length < Self.readingTime, change.magnitude >= Self.minimum else { return nil }
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

/// A descriptor that becomes readable at a time of `BootClock`: timerfd_create(2). poll(2) counts its own time limit by a
/// clock that stops while the machine is suspended.
package struct BootTimer {
    /// Readable when the time has come.
    package let descriptor: CInt

    /// - Throws: the reason why the kernel gives no descriptor.
    package init() throws(SystemError) {
        descriptor = try checked(lc_open_boot_timer(), "make a timer")
    }

    /// Sets the time; nil for never.
    package func set(_ time: Duration?) {
        _ = lc_set_timer(descriptor, time.map { max(1, Int64($0 / .nanoseconds(1))) } ?? 0)
    }

    package func close() { Glibc.close(descriptor) }
}

/// A clock and a way to wait, so that tests need not wait.
public struct Pace: Sendable {
    /// The time since a fixed moment.
    public var now: @Sendable () -> Duration
    /// Waits for this long.
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
