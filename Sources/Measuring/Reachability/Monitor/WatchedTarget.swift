// SPDX-License-Identifier: Apache-2.0

/// A target with its watch. A class, since a watch is too large to be moved at each probe. It is only used with the
/// monitor's lock held.
final class WatchedTarget: @unchecked Sendable {
    /// The number of the target in the order of first watching.
    let number: Int
    var watch: Watch
    var subscribers: Set<ObjectIdentifier> = []
    /// Until when the target is watched after a query, without a subscription.
    var lingersUntil: Duration
    /// Whether it is watched only as the gateway of other targets.
    var isImplicit = false
    var hasAnswered = false
    var isDown = false
    /// Whether it is no longer watched, so that results still to come are ignored.
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
        /// The number of the probe's track.
        let track: Int
        let epoch: Int
        let probe: Probe
        let timeout: Duration
    }

    var probes: [Order] = []
    var names: [(entry: WatchedTarget, question: Int, host: String)] = []
    /// Whether something is due before the pacer's thread would wake up.
    var wantsTurn = false
}
