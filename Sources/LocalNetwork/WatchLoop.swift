// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import Netlink
internal import Synchronization

/// What the watcher's thread does. Only that thread touches the reader and the clocks; the rest is for all.
final class WatchLoop: @unchecked Sendable {
    let audience: Audience
    private let reader: LocalReader
    private let now: @Sendable () -> Duration
    private let wakeDescriptor: CInt
    private let clockDescriptor: CInt
    private var clocks = ClockComparison(.now())
    private let isStopping = Atomic(false)
    private let thread = Atomic<UInt>(0)

    init(_ reader: LocalReader, now: @escaping @Sendable () -> Duration) throws(NetlinkError) {
        self.reader = reader
        self.now = now
        audience = Audience(reader.table.state)
        wakeDescriptor = lc_open_eventfd()
        clockDescriptor = lc_open_clock_watch()
        for descriptor in [wakeDescriptor, clockDescriptor] where descriptor < 0 {
            throw NetlinkError(operation: "watch for changes", code: -descriptor)
        }
    }

    deinit {
        for descriptor in [wakeDescriptor, clockDescriptor] where descriptor >= 0 { close(descriptor) }
    }

    /// Has the loop look around at once; from any thread.
    func wake() { lc_signal_eventfd(wakeDescriptor) }

    /// Has the loop end; from any thread.
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
            audience.callHandlers { hasToStop }
            if hasToStop { break }
            sleep()
            var events = reader.events(clocks.take(.now()), at: now())
            events += reader.read(now: now)
            let state = reader.table.state
            if !events.isEmpty || state != audience.state { audience.publish(state, events) }
        }
        audience.dismiss()
    }

    private var hasToStop: Bool { isStopping.load(ordering: .acquiring) }

    /// Waits until there is something to do.
    private func sleep() {
        var polled = [reader.descriptor, wakeDescriptor, clockDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // Rounded up: a millisecond late rather than a thousand times too early.
        let rest = reader.deadline.map { deadline in max(deadline - now(), .zero) / .milliseconds(1) }
        let timeout = rest.map { CInt(min($0.rounded(.up), 60_000)) } ?? -1
        guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { return }
        if polled[1].revents != 0 { lc_clear_eventfd(wakeDescriptor) }
        if polled[2].revents != 0 { lc_clear_clock_watch(clockDescriptor) }
    }
}
