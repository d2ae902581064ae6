// SPDX-License-Identifier: Apache-2.0

/// What the monitor has to send.
struct Requests {
    /// One probe of one watch.
    struct Order {
        let watch: Int
        /// The number of its track.
        let track: Int
        let epoch: Int
        let probe: Probe
        let timeout: Duration
    }

    var probes: [Order] = []
    var names: [(watch: Int, question: Int, host: String)] = []
    /// Whether something is due before the thread would wake up.
    var wantsTurn = false
}
