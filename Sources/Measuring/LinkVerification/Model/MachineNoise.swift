// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// The noise that the measuring machine adds, whatever the engine.
package struct MachineNoise: Sendable {
    /// Milliseconds that a packet takes without conditions.
    package var ownDelay = 0.0
    /// How much later than usual it woke a process that waited for a time, again and again during the run: while it is
    /// busy with something else, no process can be on time. Milliseconds; empty for never.
    package var lateness: [Double] = []
    /// How often an engine has to be woken for a packet.
    package var wakes = 1

    package init(ownDelay: Double = 0, lateness: [Double] = [], wakes: Int = 1) {
        (self.ownDelay, self.lateness, self.wakes) = (ownDelay, lateness, wakes)
    }

    /// The mean lateness of a correct engine.
    package var meanLateness: Double {
        lateness.isEmpty ? 0 : lateness.mean * Double(wakes)
    }

    /// The delays of an engine that is woken as late as the probe was, each time by chance.
    package func late(_ delays: [Double]) -> [Double] {
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

    /// The lateness that a correct engine does not exceed for this share of the packets, in milliseconds.
    package func lateness(_ share: Double) -> Double {
        lateness.isEmpty ? 0 : lateness.quantile(share) * Double(wakes)
    }

    /// The packets that a queue of the kernel's holds, that of a TAP device or of a socket.
    private static let kernelQueue = 500

    /// The number of packets that a right engine may lose because this machine woke it late; `sends` are their sending times.
    package func lost(of sends: [Int64]) -> Int {
        guard let first = sends.first, let last = sends.last, last > first else { return 0 }
        let perMillisecond = Double(sends.count) * 1e6 / Double(last - first)
        return lateness.reduce(0) { $0 + max(Int($1 * perMillisecond) - Self.kernelQueue, 0) }
    }
}
