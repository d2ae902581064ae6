// SPDX-License-Identifier: Apache-2.0

import TestKit

/// What the machine adds that a link is measured on, whatever the engine.
struct Machine: Sendable {
    /// Milliseconds that a packet takes without conditions.
    var ownDelay = 0.0
    /// How much later than usual it woke a process that waited for a time, again and again during the run: while it is
    /// busy with something else, no process can be on time. Milliseconds; empty for never.
    var lateness: [Double] = []
    /// How often an engine has to be woken for a packet.
    var wakes = 1

    /// What a right engine may be late by on average.
    var meanLateness: Double {
        lateness.isEmpty ? 0 : Statistics.mean(lateness) * Double(wakes)
    }

    /// The delays of an engine that is woken as late as the probe was, each time by chance.
    func late(_ delays: [Double]) -> [Double] {
        guard !lateness.isEmpty else { return delays }
        var place = 0
        return delays.map { delay in
            (0..<wakes).reduce(delay) { sum, _ in
                // A stride that has nothing in common with the packets' order.
                place = (place + 7919) % lateness.count
                return sum + lateness[place]
            }
        }
    }
}
