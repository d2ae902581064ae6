// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Lets the pump's thread sleep until a device has frames, a command has come, or a packet is due.
struct PumpPoller: ~Copyable {
    /// The events that woke the thread.
    struct Events {
        fileprivate var keys: UInt64 = 0

        @inline(__always) func hasFrames(_ input: Int) -> Bool { keys & 1 << UInt64(input) != 0 }
        @inline(__always) var hasCommands: Bool { keys & 1 << commandKey != 0 }
    }

    /// The keys of the timer and of commands; the inputs' keys are their indexes.
    private static let timerKey: UInt64 = 62
    private static let commandKey: UInt64 = 63
    /// The time to a departure below which the loop does not sleep, in nanoseconds: sleeping would take longer.
    private static let spin: Int64 = 4_000
    /// The shortest sleep in nanoseconds. On a fast link, packets are then delivered a few at a time, and the pump does
    /// not wake for each.
    private static let shortestRest: Int64 = 30_000

    private let poller: Int32
    private let timer: Int32
    /// The time at which the timer expires; `.max` for never.
    private var armed = Int64.max

    init(_ inputs: [PumpInput], commands: Int32) throws(PumpError) {
        let (poller, timer) = (lc_open_poller(), lc_open_timer())
        guard poller >= 0, timer >= 0 else {
            let refusal = PumpError.descriptors(-min(poller, timer))
            for descriptor in [poller, timer] where descriptor >= 0 { close(descriptor) }
            throw refusal
        }
        for (index, input) in inputs.enumerated() {
            lc_watch(poller, input.device.descriptor, Int32(lc_readable), UInt64(index))
        }
        lc_watch(poller, timer, Int32(lc_readable), Self.timerKey)
        lc_watch(poller, commands, Int32(lc_readable), Self.commandKey)
        (self.poller, self.timer) = (poller, timer)
    }

    deinit {
        close(timer)
        close(poller)
    }

    /// Waits for events, for `limit` milliseconds at most; without a limit if `limit` is negative.
    mutating func wait(limit: Int32) -> Events {
        var events = Events()
        _ = lc_wait_keys(poller, &events.keys, limit)
        if events.keys & 1 << Self.timerKey != 0 {
            lc_clear_eventfd(timer)
            armed = .max
        }
        return events
    }

    /// Sets the timer to the next departure, `.max` for none; false if there is no time to sleep.
    mutating func arm(_ departure: Int64) -> Bool {
        var next = departure
        if next != .max {
            let now = lc_monotonic_time()
            if next <= now + Self.spin { return false }
            next = max(next, now + Self.shortestRest)
        }
        if next != armed {
            lc_set_timer(timer, next == .max ? 0 : next)
            armed = next
        }
        return true
    }

    /// Stops polling a deleted device, which is readable forever and returns EBADFD.
    func forget(_ descriptor: Int32) { lc_unwatch(poller, descriptor) }
}
