// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import Statistics

/// A link as it was measured.
struct Measurement: Sendable {
    let link: Link
    /// The engine's; nil where it cannot be told one.
    let seed: UInt64?
    let flows: [Direction: FlowRecord]
    /// What packets took in the same sandbox without conditions, just before: the median, in milliseconds.
    let ownDelays: [Direction: Double]
    /// How much later than usual the machine woke the probe, in milliseconds.
    let lateness: [Double]
    /// How far the probe was behind with half of its packets, in milliseconds: where that is much, the machine had too
    /// little time to send what was to be sent.
    let backlog: Double
    /// How often the engine has to be woken for a packet.
    let wakes: Int

    /// What the machine woke the probe late by on average, in milliseconds.
    var meanLateness: Double { lateness.isEmpty ? 0 : lateness.mean }

    /// Holds a direction to the model.
    func findings(_ direction: Direction) -> [LinkFinding] {
        guard let record = flows[direction], let ownDelay = ownDelays[direction] else { return [] }
        let machine = MachineNoise(ownDelay: ownDelay, lateness: lateness, wakes: wakes)
        return Judge(link, direction, sends: record.sends).findings(on: record, machine, backlog: backlog, seed: seed)
    }
}
