// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import TestKit

/// Datagrams that have passed a discipline of the kernel, and their fates there.
struct QueueTraffic {
    struct Packet {
        var flow: Int
        var number: Int
        var time: Int64
        var bytes: Int
        var ecn: Int
        /// When it arrived, and its congestion notification then; nil if it was dropped.
        var arrival: (time: Int64, ecn: Int)?
    }

    private(set) var packets: [Packet] = []
    /// How late it was sent at worst, in nanoseconds.
    let late: Int64

    /// Sends the flows, in the words of queue-traffic.py.
    init(_ discipline: String, flows: [String], megabits: Int, seconds: Int, seed: Int) throws {
        let arguments = ["\(megabits)", "\(seconds)", "\(seed)", discipline] + flows
        let lines = try Shell.check(Script("queue-traffic.py").line(arguments)).split(separator: "\n")
        var late: Int64 = 0
        var arrivals: [[Int]: (Int64, Int)] = [:]
        for line in lines {
            let words = line.split(separator: " ")
            let figures = words.dropFirst().compactMap { Int($0) }
            switch words.first {
            case "late": late = Int64(figures[0])
            case "sent":
                packets.append(
                    Packet(
                        flow: figures[0],
                        number: figures[1],
                        time: Int64(figures[2]),
                        bytes: figures[3],
                        ecn: figures[4]
                    )
                )
            default: arrivals[[figures[0], figures[1]]] = (Int64(figures[2]), figures[3])
            }
        }
        self.late = late
        var last: [Int: Int] = [:]
        for key in arrivals.keys { last[key[0]] = max(last[key[0]] ?? 0, key[1]) }
        packets = packets.filter { $0.time >= 0 && $0.number <= last[$0.flow] ?? -1 }.sorted { $0.time < $1.time }
        for index in packets.indices {
            packets[index].arrival = arrivals[[packets[index].flow, packets[index].number]]
        }
    }

    /// The lane that sent them: the rate in each window of this length, by the packets that had been waiting. The lab's
    /// timers are late by parts of a frame's time.
    func conditions(_ management: QueueManagement, queue: QueueSize, ecn: Bool, window: Int64) -> LaneConditions {
        let arrived = packets.compactMap { packet in packet.arrival.map { (packet, at: $0.time) } }
            .sorted { $0.at < $1.at }
        var work: [Int64: (bits: Double, time: Double)] = [:]
        var all = (bits: 0.0, time: 0.0)
        for (before, (packet, at)) in zip(arrived, arrived.dropFirst()) where packet.time <= before.at {
            let (bits, time) = (Double(packet.bytes * 8), Double(at - before.at) / 1e9)
            let sum = work[at / window] ?? (0, 0)
            work[at / window] = (sum.bits + bits, sum.time + time)
            all = (all.bits + bits, all.time + time)
        }
        var base = Impairments()
        base.rate = BitRate(bitsPerSecond: UInt64(all.bits / all.time))
        (base.queueManagement, base.queue, base.ecn) = (management, queue, ecn ? true : nil)
        let steps = work.keys.sorted().compactMap { number -> LaneConditions.Step? in
            guard let sum = work[number], sum.time > 0 else { return nil }
            var figures = Impairments()
            // In a window that was mostly idle, one gap says little.
            let rate = sum.time > Double(window) / 2e9 ? sum.bits / sum.time : all.bits / all.time
            figures.rate = BitRate(bitsPerSecond: UInt64(rate))
            return .init(at: .nanoseconds(number * window), overrides: figures)
        }
        return LaneConditions(base, steps: steps)
    }

    /// The same packets, with their fates in a pipeline.
    func replayed(_ conditions: LaneConditions, seed: UInt64) -> [Packet] {
        var result = packets
        var pipeline = LinkPipeline(conditions, seed: seed, start: LinkTime(nanoseconds: 0))
        let arrivals = packets.map { packet in
            LinkPipeline.Arrival(
                time: LinkTime(nanoseconds: packet.time),
                frameBytes: packet.bytes,
                ecn: packet.ecn == 2 ? .classic : .none,
                flow: UInt16(packet.flow * 131 + 7)
            )
        }
        pipeline.simulate(arrivals) { departure in
            let index = Int(departure.tag)
            let ecn = departure.isMarked ? 3 : result[index].ecn
            result[index].arrival = departure.drop == nil ? (departure.due.nanoseconds, ecn) : nil
        }
        return result
    }
}
