// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import SocketServing

/// Deletes the lanes that earlier conditions leave, each once it holds no packets, after ten seconds at most. A thread
/// waits for that, since the thread that changes conditions has steps and clients to serve.
///
/// The next change waits until then: with the last lane, settings are removed that the change may need.
final class ChangeQueue {
    /// The loop of the thread that changes conditions; nil before there is one. Without it, nothing else waits, and
    /// `drain` blocks.
    var loop: EventLoop?
    private var isDraining = false
    private var waiting = Deque<() -> Void>()

    /// Deletes `lanes` once they have drained.
    func drain(_ lanes: [Teardown]) {
        let lanes = lanes.filter { !$0.isEmpty }
        guard !lanes.isEmpty else { return }
        guard let loop, let connection = try? RouteConnection.current() else { return Self.finish(lanes) }
        // The thread has a connection of its own, since no connection serves two threads. Unsafe, since a `Teardown`
        // refers to the connection with which its lanes were made, which `finish(over:)` does not use.
        nonisolated(unsafe) let work = (lanes: lanes, connection: connection)
        let bound = LoopBound(self, on: loop)
        isDraining = true
        do {
            try PosixThread.detach {
                Self.finish(work.lanes, over: work.connection)
                loop.execute { bound.value.continueWithChanges() }
            }
        } catch {
            isDraining = false
            Self.finish(lanes)
        }
    }

    /// Makes a change once the lanes of earlier changes are deleted: now, or after the changes that wait already.
    func whenDrained(_ change: @escaping () -> Void) {
        waiting.append(change)
        continueWithChanges(hasDrained: false)
    }

    private func continueWithChanges(hasDrained: Bool = true) {
        if hasDrained { isDraining = false }
        while !isDraining, let change = waiting.popFirst() { change() }
    }

    private static func finish(_ lanes: [Teardown], over connection: RouteConnection? = nil) {
        for lane in lanes { _ = try? lane.finish(over: connection) }
    }
}
