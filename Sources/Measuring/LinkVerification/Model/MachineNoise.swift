// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// The delays and losses that the measuring machine adds, whatever the engine.
package struct MachineNoise: Sendable {
    /// The delay of a packet without conditions, in milliseconds.
    package var ownDelay = 0.0
    /// Samples of how much later than usual the machine woke a process that slept until a given time, in milliseconds:
    /// a busy machine wakes no process in time. Empty if unknown.
    package var lateness: [Double] = []
    /// How often the engine has to be woken for one packet.
    package var wakes = 1

    package init(ownDelay: Double = 0, lateness: [Double] = [], wakes: Int = 1) {
        (self.ownDelay, self.lateness, self.wakes) = (ownDelay, lateness, wakes)
    }

    /// The mean delay that a correct engine adds by being woken late, in milliseconds.
    package var meanLateness: Double {
        lateness.isEmpty ? 0 : lateness.mean * Double(wakes)
    }

    /// Adds to each delay the lateness of `wakes` samples.
    package func late(_ delays: [Double]) -> [Double] {
        guard !lateness.isEmpty else { return delays }
        var place = 0
        return delays.map { delay in
            (0..<wakes).reduce(delay) { sum, _ in
                // A fixed stride, so that the samples are not in step with the packets.
                place = (place + 7919) % lateness.count
                return sum + lateness[place]
            }
        }
    }

    /// The lateness in milliseconds that a correct engine does not exceed for this share of the packets.
    package func lateness(_ share: Double) -> Double {
        lateness.isEmpty ? 0 : lateness.quantile(share) * Double(wakes)
    }

    /// The packets that a kernel queue holds, of a TAP device or of a socket.
    private static let kernelQueue = 500

    /// The number of packets, sent at `sends`, that a correct engine may lose because this machine woke it late.
    package func lost(of sends: [Int64]) -> Int {
        guard let first = sends.first, let last = sends.last, last > first else { return 0 }
        let perMillisecond = Double(sends.count) * 1e6 / Double(last - first)
        return lateness.reduce(0) { $0 + max(Int($1 * perMillisecond) - Self.kernelQueue, 0) }
    }
}
