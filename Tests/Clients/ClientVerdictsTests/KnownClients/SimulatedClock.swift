// SPDX-License-Identifier: Apache-2.0

/// A clock that never waits, and what is to happen at its times. In nanoseconds.
final class SimulatedClock {
    private struct Appointment {
        var time: Int64
        var number: Int
        var action: () -> Void
    }

    private(set) var now: Int64
    /// The latest first.
    private var appointments: [Appointment] = []
    private var count = 0

    init(at now: Int64) { self.now = now }

    /// When something is to happen next; nil if nothing is.
    var next: Int64? { appointments.last?.time }

    func after(_ delay: Int64, _ action: @escaping () -> Void) { at(now + max(delay, 0), action) }

    func at(_ time: Int64, _ action: @escaping () -> Void) {
        count += 1
        let appointment = Appointment(time: max(time, now), number: count, action: action)
        var (low, high) = (0, appointments.count)
        while low < high {
            let middle = (low + high) / 2
            let other = appointments[middle]
            if (other.time, other.number) > (appointment.time, count) { low = middle + 1 } else { high = middle }
        }
        appointments.insert(appointment, at: low)
    }

    /// Advances to a time at which nothing is to happen before.
    func advance(to time: Int64) { now = max(now, time) }

    /// Advances to what is to happen next, and has it happen.
    func runNext() {
        guard let appointment = appointments.popLast() else { return }
        now = appointment.time
        appointment.action()
    }

    /// Forgets what was to happen.
    func stop() { appointments = [] }
}

extension Int64 {
    /// Milliseconds as nanoseconds.
    static func ms(_ number: Int) -> Int64 { Int64(number) * 1_000_000 }
}
