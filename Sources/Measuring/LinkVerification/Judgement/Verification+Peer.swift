// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Statistics

/// The way to another machine.
package struct PeerPath: Sendable {
    /// How far the comparison of the clocks may be off, in milliseconds.
    package var clockError: Double
    /// The round trip of the path without conditions, in milliseconds; nil if it is unknown.
    package var ownRoundTrip: Double?

    package init(clockError: Double, ownRoundTrip: Double?) {
        (self.clockError, self.ownRoundTrip) = (clockError, ownRoundTrip)
    }

    /// Whether a delay of so many milliseconds in one direction can be judged.
    func tellsDelay(of milliseconds: Double) -> Bool {
        ownRoundTrip != nil && clockError <= Tolerances().delay(milliseconds) / 2
    }
}

extension FlowRecord {
    /// The record as if each packet had come this much earlier, in milliseconds.
    func earlier(by milliseconds: Double) -> FlowRecord {
        let time = Int64((milliseconds * 1e6).rounded())
        let arrivals = arrivals.map { arrival in
            Arrival(
                packet: arrival.packet,
                time: arrival.time - time,
                isDamaged: arrival.isDamaged,
                isMarked: arrival.isMarked
            )
        }
        return FlowRecord(frameBytes: frameBytes, sends: sends, arrivals: arrivals)
    }
}

extension Verification {
    /// Takes what the way has of its own from the delays of each direction. Returns whether it is known how the round trip
    /// divides into both.
    ///
    /// Where it is not, each direction's median is laid on the model's, and only what differs from packet to packet is judged
    /// in one direction; the sum of both is judged as such, since what the clocks differ by is in it once each way.
    mutating func divide(_ lanes: inout [MeasuredLane], of phase: ProbePhase, _ path: PeerPath) -> Bool {
        let sums = lanes.map { lane -> (measured: Double, modelled: [Double])? in
            let models = lane.judge.models.map(\.delays).filter { !$0.isEmpty }.map(\.median)
            let delays = lane.flow.delays
            return models.isEmpty || delays.isEmpty ? nil : (delays.median, models)
        }
        let isDivided = sums.allSatisfy { path.tellsDelay(of: $0.map { $0.modelled.mean } ?? 0) }
        if phase.kind == .light {
            for (lane, sum) in zip(lanes, sums) {
                pathDelays[lane.direction] =
                    isDivided
                    ? (path.ownRoundTrip ?? 0) / 2 : sum.map { $0.measured - $0.modelled.mean }
            }
            if lanes.count == 2, let first = sums[0], let second = sums[1] {
                let judge = lanes[0].judge
                let (one, other) = (judge.prediction(first.modelled), judge.prediction(second.modelled))
                add(
                    bothWays(
                        first.measured + second.measured,
                        modelled: one.mean + other.mean,
                        scatter: one.reach + other.reach,
                        path,
                        count: lanes.map(\.flow.sends.count).min() ?? 0
                    )
                )
            }
        }
        lanes = lanes.map { lane in
            var lane = lane
            lane.flow = lane.flow.earlier(by: pathDelays[lane.direction] ?? 0)
            return lane
        }
        return isDivided
    }

    private func bothWays(
        _ measured: Double,
        modelled: Double,
        scatter: Double,
        _ path: PeerPath,
        count: Int
    ) -> Part {
        let reach = scatter + 2 * Tolerances().delay(modelled / 2)
        let late = 2 * Double(wakes) * lateness.tail
        // Where it is not known what the way takes by itself, it may be anything.
        let own = path.ownRoundTrip == nil ? Double.infinity : 0
        return Part(
            kind: .bothWays,
            lane: .uplink,
            findings: [
                LinkFinding(
                    .bothWays,
                    modelled: modelled,
                    measured: measured - (path.ownRoundTrip ?? 0),
                    allowed: modelled - reach...modelled + reach,
                    excusable: modelled - reach...modelled + reach + late + own
                )
            ],
            count: count,
            record: nil,
            model: nil
        )
    }
}
