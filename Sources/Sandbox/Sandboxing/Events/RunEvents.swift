// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
internal import DequeModule
internal import LinuxSystem
internal import Synchronization

/// The events of a run, for readers that may come late and be slow.
///
/// Every thread may post and read. Posting never waits for a reader: a reader asks for the events after the last one
/// that it knows, and misses events if it asks too late.
package final class RunEvents: Sendable {
    private let state = Mutex(State())
    private let file: EventFile?
    private let limit: Int

    private struct State {
        var history = RunHistory()
        /// The latest events, as lines.
        var lines = Deque<[UInt8]>()
        /// The number of the first event in `lines`.
        var first = 0
        var bytes = 0
        var watchers: [Int: @Sendable () -> Void] = [:]
        var nextWatcher = 0

        var end: Int { first + lines.count }

        mutating func append(_ line: [UInt8], limit: Int) {
            lines.append(line)
            bytes += line.count
            while bytes > limit, lines.count > 1 {
                bytes -= lines.removeFirst().count
                first += 1
            }
        }
    }

    /// Makes an empty list, each of whose events is appended to the file, too.
    ///
    /// - Parameter limit: how many bytes are kept for readers. The oldest events are forgotten first.
    package init(file: EventFile? = nil, limit: Int = 4 << 20) { (self.file, self.limit) = (file, limit) }

    /// Adds an event with the time now, or with an earlier `time`, at which something began whose success is known only
    /// now. An event with an earlier time may therefore come after an event with a later one.
    package func post(_ event: RunEvent.Kind, at time: Instant? = nil) {
        let watchers = state.withLock { state -> [@Sendable () -> Void] in
            // Inside the lock, so that events without `time` are in the order of their times.
            let event = RunEvent(time ?? .now, event)
            state.history.add(event.kind, at: event.time)
            let line = event.line
            state.append(line, limit: limit)
            file?.append(line)
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher() }
    }

    /// The course of the run so far.
    var history: RunHistory { state.withLock { $0.history } }

    enum Reading: Equatable {
        /// Lines, and the number of the next event to read.
        case lines([UInt8], next: Int)
        /// There is no new event yet.
        case nothing
        /// The event is no longer kept: the reader has missed events.
        case lost
    }

    /// Reads lines from the event `number` on, 0 for the first: at least one line, and no more than `size` bytes where
    /// that is possible.
    func read(from number: Int, size: Int) -> Reading {
        state.withLock { state in
            guard number >= state.first else { return .lost }
            guard number < state.end else { return .nothing }
            var bytes: [UInt8] = []
            var next = number
            while next < state.end {
                let line = state.lines[next - state.first]
                guard bytes.isEmpty || bytes.count + line.count <= size else { break }
                bytes += line
                next += 1
            }
            return .lines(bytes, next: next)
        }
    }

    /// Calls `body` after each event, on the thread that posts it, until `unwatch`.
    func watch(_ body: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = body
            return state.nextWatcher
        }
    }

    /// Ends the calls that `watch` began.
    func unwatch(_ watcher: Int) { state.withLock { state in state.watchers[watcher] = nil } }
}

extension Instant {
    package static var now: Instant { Instant(nanoseconds: RunClock.now) }
}
