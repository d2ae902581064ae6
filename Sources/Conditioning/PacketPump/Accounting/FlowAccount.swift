// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Synchronization

/// The flow account of a pump while another process reads it. A thread of its own reads the headers that the pump
/// records, and writes the flows to a ``FlowPage``.
///
/// It ends by itself when it was not renewed for ten seconds: a reader that was killed must not cost the pump anything.
final class FlowAccount: Sendable {
    /// The bytes of records that may wait to be read.
    private static let ringSize = 1 << 22
    /// The pause between two rounds of reading, in microseconds. The pump records some 10,000 packets meanwhile.
    private static let pause: UInt32 = 20_000
    /// The time without a renewal after which the account ends.
    static let timeout = Duration.seconds(10)

    let page: FlowPage
    private let recorder: PacketRecorder
    private let state: Mutex<State>

    private struct State {
        /// The time of `BootClock` at which the account ends.
        var deadline: Duration
        var hasEnded = false
    }

    /// Starts an account of `pump`; nil if there is no memory, no descriptor or no thread.
    init?(of pump: PacketPump, timeout: Duration = FlowAccount.timeout) {
        guard let page = FlowPage(), let ledger = FlowLedger(),
            let recorder = PacketRecorder(PacketRecorder.Limits(), capacity: Self.ringSize)
        else { return nil }
        (self.page, self.recorder) = (page, recorder)
        state = Mutex(State(deadline: BootClock.now + timeout))
        // Used on the new thread only.
        nonisolated(unsafe) let own = ledger
        do {
            // The thread must not keep the pump: its last reference stops it.
            try PosixThread.detach { [self, weak pump] in run(own) { pump?.account(by: nil) } }
        } catch {
            return nil
        }
        pump.account(by: recorder)
    }

    /// Keeps the account for another while; false if it has ended.
    func renew(for timeout: Duration = FlowAccount.timeout) -> Bool {
        state.withLock { state in
            state.deadline = BootClock.now + timeout
            return !state.hasEnded
        }
    }

    /// Ends the account within a round.
    func end() { state.withLock { $0.deadline = .zero } }

    private func run(_ ledger: FlowLedger, stop: () -> Void) {
        while true {
            recorder.drain { ledger.add($0, UnsafeRawBufferPointer($1)) }
            page.publish(ledger, at: lc_monotonic_time())
            let isOver = state.withLock { state in
                if BootClock.now >= state.deadline { state.hasEnded = true }
                return state.hasEnded
            }
            if isOver { return stop() }
            usleep(Self.pause)
        }
    }
}
