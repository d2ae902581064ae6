// SPDX-License-Identifier: Apache-2.0

/// What is to be sent.
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
    /// Whether something is due before what is slept for.
    var wantsTurn = false
}
