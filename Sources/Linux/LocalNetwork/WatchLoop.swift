// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink
internal import Synchronization

/// The work of the watcher's thread. Only that thread uses `reader` and `clocks`; all other members may be used by any
/// thread.
final class WatchLoop: @unchecked Sendable {
    let subscribers: Subscribers<LocalUpdate>
    private let firstState: LocalState
    private let reader: LocalReader
    private let now: @Sendable () -> Duration
    private let wakeup: EventFD
    private let clockDescriptor: CInt
    private var clocks = ClockJumpDetector(.now())
    private let isStopping = Atomic(false)
    private let thread = Atomic<UInt>(0)

    init(_ reader: LocalReader, now: @escaping @Sendable () -> Duration) throws(NetlinkError) {
        self.reader = reader
        self.now = now
        firstState = reader.table.state
        subscribers = Subscribers(current: LocalUpdate(state: firstState))
        do throws(SystemError) {
            wakeup = try EventFD()
            clockDescriptor = try checked(lc_open_clock_watch(), "watch the clock")
        } catch {
            throw NetlinkError(operation: error.operation, code: error.code)
        }
    }

    deinit { close(clockDescriptor) }

    var state: LocalState { subscribers.current?.state ?? firstState }

    /// Wakes the loop; callable from any thread.
    func wake() { wakeup.signal() }

    /// Asks the loop to end; callable from any thread.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        wake()
    }

    /// Whether the calling thread is the loop's.
    var isCurrent: Bool { thread.load(ordering: .acquiring) == UInt(pthread_self()) }

    /// Runs until `stop`.
    func run() {
        thread.store(UInt(pthread_self()), ordering: .releasing)
        while !hasToStop {
            subscribers.callHandlers { hasToStop }
            if hasToStop { break }
            sleep()
            var events = reader.events(clocks.compare(.now()), at: now())
            events += reader.read(now: now)
            let state = reader.table.state
            if !events.isEmpty || state != self.state {
                subscribers.publish(LocalUpdate(state: state, events: events), current: LocalUpdate(state: state))
            }
        }
        subscribers.finish()
    }

    private var hasToStop: Bool { isStopping.load(ordering: .acquiring) }

    /// Waits for a notification, a wake-up, a clock change or the reader's deadline.
    private func sleep() {
        var polled = [reader.descriptor, wakeup.descriptor, clockDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // Rounded up: better a millisecond late than a thousand early wake-ups.
        let rest = reader.deadline.map { deadline in max(deadline - now(), .zero) / .milliseconds(1) }
        let timeout = rest.map { CInt(min($0.rounded(.up), 60_000)) } ?? -1
        guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { return }
        if polled[1].revents != 0 { wakeup.clear() }
        if polled[2].revents != 0 { lc_clear_clock_watch(clockDescriptor) }
    }
}
