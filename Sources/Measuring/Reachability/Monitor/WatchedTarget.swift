// SPDX-License-Identifier: Apache-2.0

/// A target with its watch. An object, since a watch is too large to be moved at each probe; used with the monitor's
/// lock held, like all of the state.
final class WatchedTarget: @unchecked Sendable {
    /// Grows from each target to the next.
    let number: Int
    var watch: Watch
    var subscribers: Set<ObjectIdentifier> = []
    /// Until when it is watched after a query without subscription.
    var lingersUntil: Duration
    /// Whether it is watched only as the gateway of other targets.
    var isImplicit = false
    var hasAnswered = false
    var isDown = false
    /// Whether it is not watched any more: results that are still to come are ignored.
    var isForgotten = false

    init(_ number: Int, _ watch: Watch, lingersUntil: Duration) {
        (self.number, self.watch, self.lingersUntil) = (number, watch, lingersUntil)
    }

    var target: Target { watch.target }
    var status: Status { watch.status }
}

/// The requests that the monitor has to send.
struct Requests {
    struct Order {
        let entry: WatchedTarget
        /// The number of its track.
        let track: Int
        let epoch: Int
        let probe: Probe
        let timeout: Duration
    }

    var probes: [Order] = []
    var names: [(entry: WatchedTarget, question: Int, host: String)] = []
    /// Whether something is due before the thread would wake up.
    var wantsTurn = false
}
