// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import SandboxClient
internal import Sandboxing
internal import Synchronization

/// Follows a run over its control socket, on a thread of its own: the supervisor may answer late, and verdicts take
/// their time. Asks only while somebody reads the state.
final class SandboxFollower: Sendable {
    /// What the supervisor has told last.
    struct State: Sendable {
        var status: StatusReport?
        /// The number of statuses so far; each is one sample.
        var number = 0
        var interfaces: JSON?
        var run: JSON?
        /// The reason why the state may be out of date; nil if it is not.
        var problem: Problem?
        /// The time at which the run was found to have ended, in seconds since 1970; nil while it goes on.
        var end: Double?

        struct Problem: Hashable, Sendable {
            var message: String
            var kind: String
        }
    }

    private struct Shared {
        var state = State()
        var lastReader = BootClock.now
        var isStopped = false
    }

    private let client: ControlClient
    private let shared = Mutex(Shared())

    /// The times between two questions. An answer that takes long makes them longer, since the pump and the client need
    /// the processor.
    private static let (statusInterval, runInterval) = (Duration.milliseconds(200), Duration.seconds(1))
    private static let (statusShare, runShare) = (10, 4)
    /// The time after which nobody reads any more.
    private static let patience = Duration.seconds(3)
    private static let pause: UInt32 = 50_000

    init(_ client: ControlClient) { self.client = client }

    /// The state, which is then kept up to date for some seconds.
    var state: State {
        shared.withLock { shared in
            shared.lastReader = BootClock.now
            return shared.state
        }
    }

    /// Asks on a new thread until the run ends or `stop` is called.
    func start() throws(SystemError) { try PosixThread.detach { [self] in run() } }

    func stop() { shared.withLock { $0.isStopped = true } }

    private func run() {
        var (nextStatus, nextRun) = (Duration.zero, Duration.zero)
        while true {
            let now = BootClock.now
            let (isWatched, isOver) = shared.withLock { shared in
                (now - shared.lastReader < Self.patience, shared.isStopped || shared.state.end != nil)
            }
            guard !isOver else { return }
            if isWatched, now >= nextStatus {
                note { client throws(ControlClient.Refusal) in
                    let status = try client.status()
                    return { state in (state.status, state.number) = (status, state.number + 1) }
                }
                nextStatus = BootClock.now + max(Self.statusInterval, (BootClock.now - now) * Self.statusShare)
            }
            if isWatched, BootClock.now >= nextRun {
                let start = BootClock.now
                note { client throws(ControlClient.Refusal) in
                    let (run, interfaces) = (try client.run(), try client.interfaces())
                    return { state in (state.run, state.interfaces) = (run, interfaces["interfaces"]) }
                }
                nextRun = BootClock.now + max(Self.runInterval, (BootClock.now - start) * Self.runShare)
            }
            usleep(Self.pause)
        }
    }

    /// Asks, and notes the answer or the reason why there is none.
    private func note(
        _ ask: (ControlClient) throws(ControlClient.Refusal) -> @Sendable (inout State) -> Void
    ) {
        do throws(ControlClient.Refusal) {
            let change = try ask(client)
            shared.withLock { shared in
                change(&shared.state)
                shared.state.problem = nil
            }
        } catch {
            shared.withLock { shared in
                // Before the first answer, the socket's file may not be there yet.
                if error.isGone, shared.state.status != nil {
                    shared.state.end = Double(RealClock.now / 1_000_000) / 1000
                    shared.state.problem = nil
                } else {
                    shared.state.problem = State.Problem(
                        message: error.message,
                        kind: error.kind?.rawValue ?? "gone"
                    )
                }
            }
        }
    }
}
