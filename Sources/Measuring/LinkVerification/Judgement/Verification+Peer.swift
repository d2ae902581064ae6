// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Statistics

/// The path to another machine.
package struct PeerPath: Sendable {
    /// The error bound of the clock comparison, in milliseconds.
    package var clockError: Double
    /// The round trip of the path without conditions, in milliseconds; nil if it is unknown.
    package var ownRoundTrip: Double?

    package init(clockError: Double, ownRoundTrip: Double?) {
        (self.clockError, self.ownRoundTrip) = (clockError, ownRoundTrip)
    }

    /// Whether the clocks agree well enough to judge a one-way delay of this many milliseconds.
    func tellsDelay(of milliseconds: Double) -> Bool {
        ownRoundTrip != nil && clockError <= Tolerances().delay(milliseconds) / 2
    }
}

extension FlowRecord {
    /// Returns the record with every arrival moved earlier by this many milliseconds.
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
    /// Subtracts the path's own delay from the delays of each direction. Returns whether each direction's share of the
    /// round trip is known.
    ///
    /// If it is unknown, each direction's median is set to the model's, so that only differences between packets are
    /// judged by direction. The sum of both directions is judged as well: in it, the difference of the clocks cancels
    /// out.
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
        // If the path's own round trip is unknown, it may explain any excess.
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
