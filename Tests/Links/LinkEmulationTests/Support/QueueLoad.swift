// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles

/// Packets at equal distances into one managed queue.
struct QueueLoad {
    var management: QueueManagement
    var rate: UInt64 = 10_000_000
    /// The load as a share of the rate.
    var load = 1.1
    var seconds = 30
    var ecn = ECNSupport.none
    var queue = QueueSize.packets(1_000)
    var competing: [CompetingFlows] = []
    var loss: LossModel?
    var seed: UInt64 = 7
    /// The numbers of flows, taken in turn.
    var flows: [UInt16] = [7]

    struct Result: Equatable {
        /// The time that each delivered packet spent in the queue and on the link, in nanoseconds.
        var delays: [Int64] = []
        /// The times of drops and marks.
        var drops: [Int64] = []
        var marks: [Int64] = []
        var tags: [UInt32] = []

        func quantile(_ part: Double) -> Double {
            let sorted = delays.sorted()
            return Double(sorted[Int(Double(sorted.count - 1) * part)]) / 1e6
        }
    }

    init(_ management: QueueManagement) { self.management = management }

    var gap: Int64 { Int64(Double(Frame.fullSizeBytes * 8) / Double(rate) / load * 1e9) }

    var conditions: LaneConditions {
        var figures = Impairments()
        figures.rate = BitRate(bitsPerSecond: rate)
        (figures.queue, figures.queueManagement) = (queue, management)
        figures.competing = competing.isEmpty ? nil : competing
        figures.loss = loss
        figures.ecn = ecn == .none ? nil : true
        return LaneConditions(figures)
    }

    var result: Result {
        var pipeline = LinkPipeline(conditions, seed: seed, start: LinkTime(nanoseconds: 0))
        let count = Int64(seconds) * 1_000_000_000 / gap
        let arrivals = (0..<count).map { number in
            LinkPipeline.Arrival(
                time: LinkTime(nanoseconds: number * gap),
                frameBytes: Frame.fullSizeBytes,
                ecn: ecn,
                flow: flows[Int(number) % flows.count]
            )
        }
        var result = Result()
        pipeline.simulate(arrivals) { departure in
            let time = departure.due.nanoseconds
            if departure.drop != nil { return result.drops.append(time) }
            result.delays.append(time - arrivals[Int(departure.tag)].time.nanoseconds)
            result.tags.append(departure.tag)
            if departure.isMarked { result.marks.append(time) }
        }
        return result
    }
}
