// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles

/// Packets of one size at equal distances through a pipeline.
struct Run {
    var conditions: LaneConditions
    var packets = 1000
    /// Nanoseconds from one packet to the next.
    var gap: Int64 = 1_000_000
    var frameBytes = 1514
    var isECNCapable = false
    var seed: UInt64 = 1
    var lane: UInt64 = 0

    init(_ conditions: LaneConditions) {
        self.conditions = conditions
    }

    init(_ change: (inout Impairments) -> Void) {
        var impairments = Impairments()
        change(&impairments)
        self.init(LaneConditions(impairments))
    }

    func with(_ change: (inout Run) -> Void) -> Run {
        var run = self
        change(&run)
        return run
    }

    func arrival(_ tag: UInt32) -> Int64 { Int64(tag) * gap }

    /// All fates, in the order of time.
    var fates: [Departure] {
        var pipeline = LinkPipeline(conditions, seed: seed, lane: lane, start: LinkTime(nanoseconds: 0))
        var result: [Departure] = []
        pipeline.simulate(
            (0..<packets).map {
                .init(
                    time: LinkTime(nanoseconds: Int64($0) * gap),
                    frameBytes: frameBytes,
                    ecn: isECNCapable ? .classic : .none
                )
            }
        ) { result.append($0) }
        return result
    }

    /// The delivered copies, in the order of time.
    var survivors: [Departure] { fates.filter { $0.drop == nil } }

    /// For each packet in the order of arrival, whether no copy of it was delivered.
    var losses: [Bool] {
        var isLost = [Bool](repeating: true, count: packets)
        for survivor in survivors { isLost[Int(survivor.tag)] = false }
        return isLost
    }

    /// The latency of each delivered packet in nanoseconds, in the order of arrival.
    var delays: [Int64] {
        survivors.sorted { ($0.tag, $0.copy) < ($1.tag, $1.copy) }.map { $0.due.nanoseconds - arrival($0.tag) }
    }
}

extension Departure {
    var nanoseconds: Int64 { due.nanoseconds }
}

extension Departure {
    /// The same packet at another time.
    init(_ packet: Departure, due: Int64) {
        self = packet
        self.due = LinkTime(nanoseconds: due)
    }

    /// A packet that was dropped as it arrived.
    init(lost tag: UInt32, at time: LinkTime, _ reason: DropReason) {
        self.init(tag: tag, due: time, copy: 0, isMarked: false, corruptedBit: nil, drop: reason)
    }
}
