// SPDX-License-Identifier: Apache-2.0

/// What became of one direction's packets, measured or modelled.
struct FlowRecord: Sendable {
    /// A packet that came.
    struct Arrival: Sendable {
        /// Its number among the sent, from 0.
        let packet: Int
        /// Nanoseconds on the clock of the sending times.
        let time: Int64
    }

    /// The IP packet and 14 bytes.
    let frameBytes: Int
    /// When each packet was sent, in nanoseconds.
    let sends: [Int64]
    /// In the order in which they came.
    let arrivals: [Arrival]

    /// For each packet, when it first came; nil where it never did.
    var firstTimes: [Int64?] {
        var times = [Int64?](repeating: nil, count: sends.count)
        for arrival in arrivals where times[arrival.packet] == nil { times[arrival.packet] = arrival.time }
        return times
    }

    /// How long each packet that came was on its way, in milliseconds, in the order of sending.
    var delays: [Double] {
        zip(sends, firstTimes).compactMap { sent, came in came.map { Double($0 - sent) / 1e6 } }
    }

    var losses: Int { firstTimes.count { $0 == nil } }

    /// The lengths of the bursts of losses that a packet that came ends.
    var bursts: [Int] {
        var result: [Int] = []
        var length = 0
        for time in firstTimes {
            if time == nil {
                length += 1
            } else if length > 0 {
                result.append(length)
                length = 0
            }
        }
        return result
    }

    /// How many packets came after one that was sent later.
    var overtaken: Int {
        var latest = -1
        var count = 0
        for arrival in arrivals {
            if arrival.packet < latest { count += 1 }
            latest = max(latest, arrival.packet)
        }
        return count
    }

    /// Bits a second between the first arrival and the last.
    var rate: Double {
        guard let first = arrivals.first, let last = arrivals.last, last.time > first.time else { return 0 }
        return Double((arrivals.count - 1) * frameBytes * 8) * 1e9 / Double(last.time - first.time)
    }
}
