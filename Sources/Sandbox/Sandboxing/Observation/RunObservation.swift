// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import Synchronization

/// The observation of a run: its packets, its sockets and its events, in two open files.
///
/// The observation begins with the command, or when a client of the control socket asks for it.
final class RunObservation: Sendable {
    /// The packets, for reading.
    let capture: CInt
    /// The file of events and samples, for reading.
    let record: EventFile
    private let state = Mutex(State.waiting)

    private enum State {
        case waiting
        case observing(ClientSampler, since: Instant)
        case ended
    }

    /// Makes an observation that has not begun.
    init(capture: CInt, record: EventFile) { (self.capture, self.record) = (capture, record) }

    /// The time at which the observation began; nil before that, and after the end.
    var since: Instant? {
        state.withLock { state in
            if case .observing(_, let since) = state { since } else { nil }
        }
    }

    /// Begins to sample; the packets are recorded already. If `hasBegun`, the command is running, and its sockets are
    /// recorded as older.
    func begin(hasBegun: Bool) {
        state.withLock { state in
            guard case .waiting = state else { return }
            let sampler = ClientSampler(record)
            if hasBegun { sampler.postSockets { .older($0, owner: $1) } }
            state = .observing(sampler, since: .now)
            sampler.start()
        }
    }

    /// Takes a sample at once, and calls `body` on any thread when the sample is in the file.
    func look(then body: @escaping @Sendable () -> Void) {
        guard case .observing(let sampler, _) = state.withLock({ $0 }) else { return body() }
        sampler.look(then: body)
    }

    /// Takes a last sample, and ends; returns whether anything was observed.
    @discardableResult
    func end() -> Bool {
        let before = state.withLock { state in
            defer { state = .ended }
            return state
        }
        guard case .observing(let sampler, _) = before else { return false }
        sampler.stop()
        return true
    }
}
