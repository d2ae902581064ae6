// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import HeapModule
package import LinuxSystem
internal import Synchronization

/// One thread that waits for descriptors, times and requests of other threads, and calls back: epoll(7), level-triggered.
///
/// Each turn of the loop serves the descriptors that are ready, then the timers whose time has come, then the bodies that
/// were given to `execute`. What is called must not block. `execute`, `perform`, `stop` and `isCurrent` may be used on any
/// thread, everything else on the loop's thread only, which makes locks unnecessary.
package final class EventLoop: @unchecked Sendable {
    private static let tasksKey: UInt64 = 0
    private static let clockKey: UInt64 = 1
    private static let firstKey: UInt64 = 2
    /// The number of ready descriptors that one turn serves.
    private static let capacity = 64
    /// This many cancelled timers may wait for their time, besides as many as are not cancelled.
    private static let maximumCancelled = 1024
    /// The longest time of a timer, in seconds: a hundred years.
    private static let century: Int64 = 3_153_600_000

    let poller: CInt
    private let clock: CInt
    private let tasks: Mailbox<[@Sendable () -> Void]>
    /// The thread that runs the loop; 0 before.
    private let thread = Atomic<UInt>(0)

    private var watches: [UInt64: DescriptorWatch] = [:]
    private var nextKey = firstKey
    private var timers = Heap<LoopTimer>()
    private var nextTimer: UInt64 = 0
    private var cancelledTimers = 0
    /// The time that the clock is set to; `.max` for never.
    private var armed = Int64.max
    private var hasEnded = false
    private var nextTurn: [() -> Void] = []

    /// Room for the bytes that are being received, for one owner at a time.
    package let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)

    /// Makes a loop that `run` serves.
    ///
    /// - Throws: the reason why the kernel gives no descriptor.
    package init() throws(SystemError) {
        tasks = try Mailbox([])
        poller = lc_open_poller()
        clock = lc_open_timer()
        try checked(min(poller, clock), "make an event loop")
        lc_watch(poller, tasks.wakeup.descriptor, CInt(lc_readable), Self.tasksKey)
        lc_watch(poller, clock, CInt(lc_readable), Self.clockKey)
    }

    deinit {
        for descriptor in [clock, poller] where descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// Makes a loop that a thread of its own serves until `stop`.
    package static func start() throws(SystemError) -> EventLoop {
        let loop = try EventLoop()
        try PosixThread.detach { loop.run() }
        return loop
    }

    /// Serves on the calling thread until `stop`. To be called once.
    package func run() {
        thread.store(UInt(pthread_self()), ordering: .releasing)
        withUnsafeTemporaryAllocation(of: lc_readiness.self, capacity: Self.capacity) { ready in
            guard let events = ready.baseAddress else { return }
            while !hasEnded {
                armClock()
                let count = lc_wait(poller, events, CInt(Self.capacity), nextTurn.isEmpty ? -1 : 0)
                precondition(count >= 0, "an event loop cannot wait: errno \(-count)")
                var hasTasks = false
                for event in ready.prefix(Int(count)) {
                    switch event.key {
                    case Self.tasksKey: hasTasks = true
                    case Self.clockKey:
                        lc_clear_eventfd(clock)
                        armed = .max
                    default:
                        watches[event.key]?.owner?.descriptorIsReady(Readiness(rawValue: CInt(event.what)))
                    }
                }
                runTimers()
                if hasTasks { runTasks() }
                // Not the bodies that are added meanwhile.
                let bodies = nextTurn
                nextTurn = []
                for body in bodies { body() }
            }
        }
        end()
    }

    /// Whether the calling thread runs the loop.
    package var isCurrent: Bool { thread.load(ordering: .acquiring) == UInt(pthread_self()) }

    /// Calls `body` on the loop's thread, in its next turn; not after `stop`.
    package func execute(_ body: @escaping @Sendable () -> Void) { tasks.send { $0.append(body) } }

    /// Calls `body` on the loop's thread, and waits for its result. To be called on another thread.
    ///
    /// - Throws: ESHUTDOWN after `stop`, or the reason why the kernel gives no descriptor.
    package func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws(SystemError) -> Value {
        precondition(!isCurrent, "the loop would wait for itself")
        let reply = LoopReply<Value>(try EventFD())
        let isOpen = tasks.send { tasks in tasks.append { reply.give(body()) } }
        guard isOpen else { throw SystemError(operation: "use an event loop", code: ESHUTDOWN) }
        return reply.wait()
    }

    /// Ends the loop in its next turn, and closes its descriptors.
    package func stop() { execute { self.hasEnded = true } }

    /// Ends the loop, and returns when its descriptors are closed. To be called on another thread.
    package func stopAndWait() {
        try? perform { self.end() }
    }

    /// Watches a descriptor for `interest`, and for failures. The owner closes the descriptor after the end of the watch.
    ///
    /// - Throws: the reason why the kernel does not watch it.
    package func watch(
        _ descriptor: CInt,
        for interest: Readiness,
        owner: any DescriptorOwner
    ) throws(SystemError) -> DescriptorWatch {
        precondition(isCurrent || thread.load(ordering: .relaxed) == 0, "used on another thread than the loop's")
        let watch = DescriptorWatch(descriptor, key: nextKey, interest, owner: owner, loop: self)
        try checked(lc_watch(poller, descriptor, interest.rawValue, nextKey), "watch a descriptor")
        watches[nextKey] = watch
        nextKey += 1
        return watch
    }

    /// Calls `body` after that time, in the turn in which it has passed.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        precondition(isCurrent || thread.load(ordering: .relaxed) == 0, "used on another thread than the loop's")
        let (seconds, attoseconds) = max(delay, .zero).components
        let nanoseconds = min(seconds, Self.century) * 1_000_000_000 + attoseconds / 1_000_000_000
        let timer = LoopTimer(lc_monotonic_time() + nanoseconds, number: nextTimer, loop: self, body)
        nextTimer += 1
        timers.insert(timer)
        return timer
    }

    /// Calls `body` in this turn or the next one.
    func callSoon(_ body: @escaping () -> Void) { nextTurn.append(body) }

    func forget(_ watch: DescriptorWatch) { watches[watch.key] = nil }

    /// Counts a cancelled timer. It is removed when its time comes, or with all others when those are the most.
    func timerWasCancelled() {
        cancelledTimers += 1
        precondition(cancelledTimers <= timers.count, "more timers are cancelled than there are")
        guard cancelledTimers > Self.maximumCancelled, cancelledTimers > timers.count / 2 else { return }
        timers.removeAll { $0.body == nil }
        cancelledTimers = 0
    }

    private func armClock() {
        while let timer = timers.min, timer.body == nil {
            timers.removeMin()
            cancelledTimers -= 1
        }
        precondition(cancelledTimers >= 0, "a timer is cancelled that was not counted")
        let next = timers.min?.time ?? .max
        guard next != armed else { return }
        armed = next
        lc_set_timer(clock, next == .max ? 0 : next)
    }

    private func runTimers() {
        guard !timers.isEmpty else { return }
        // The time of now, for all: those that are set meanwhile wait, as descriptors and other threads have their turn.
        let now = lc_monotonic_time()
        while !hasEnded, let timer = timers.min, timer.time <= now {
            timers.removeMin()
            if let body = timer.finish() { body() } else { cancelledTimers -= 1 }
        }
    }

    private func runTasks() {
        var bodies: [@Sendable () -> Void] = []
        tasks.dequeue(into: &bodies)
        for body in bodies { body() }
    }

    private func end() {
        hasEnded = true
        // A thread that has asked before the end gets its result.
        tasks.close()
        runTasks()
        for watch in watches.values { watch.owner?.loopHasEnded() }
        while let timer = timers.popMin() { _ = timer.finish() }
    }
}

/// The result of what one thread waits for while another does it.
private final class LoopReply<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere: EventFD

    init(_ isThere: EventFD) { self.isThere = isThere }

    func give(_ value: Value) {
        self.value.withLock { $0 = value }
        isThere.signal()
    }

    func wait() -> Value {
        while true {
            // A signal may interrupt it.
            Wait.untilReadable([isThere.descriptor])
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
