// SPDX-License-Identifier: Apache-2.0

/// The fates of the packets of one direction, measured or modelled.
package struct FlowRecord: Sendable {
    /// The arrival of a packet or of a duplicate.
    package struct Arrival: Sendable {
        /// The packet's number in the order of sending, from 0.
        package let packet: Int
        /// When it arrived, in nanoseconds by the clock of the sending times.
        package let time: Int64
        /// Whether its payload was damaged on the path.
        package var isDamaged: Bool
        /// Whether it was marked as having experienced congestion (CE, RFC 3168).
        package var isMarked: Bool

        package init(packet: Int, time: Int64, isDamaged: Bool = false, isMarked: Bool = false) {
            (self.packet, self.time, self.isDamaged, self.isMarked) = (packet, time, isDamaged, isMarked)
        }
    }

    /// The size of a frame: the IP packet and 14 bytes of Ethernet header.
    package let frameBytes: Int
    /// When each packet was sent, in nanoseconds.
    package let sends: [Int64]
    /// The arrivals, in the order of their times.
    package let arrivals: [Arrival]

    package init(frameBytes: Int, sends: [Int64], arrivals: [Arrival]) {
        (self.frameBytes, self.sends, self.arrivals) = (frameBytes, sends, arrivals)
    }

    /// When each packet first arrived; nil if it never did.
    package var firstTimes: [Int64?] {
        var times = [Int64?](repeating: nil, count: sends.count)
        for arrival in arrivals where times[arrival.packet] == nil { times[arrival.packet] = arrival.time }
        return times
    }

    /// The delays of the packets that arrived, in milliseconds, in the order of sending.
    package var delays: [Double] {
        zip(sends, firstTimes).compactMap { sent, came in came.map { Double($0 - sent) / 1e6 } }
    }

    package var losses: Int { firstTimes.count { $0 == nil } }

    /// The number of additional arrivals of packets that had arrived before.
    package var duplicates: Int { arrivals.count - (sends.count - losses) }

    /// The lengths of bursts of consecutive losses; a burst at the end of the flow does not count.
    package var bursts: [Int] {
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

    /// The mean of `bursts`; 0 if there are none.
    package var meanBurst: Double {
        let bursts = bursts
        return bursts.isEmpty ? 0 : Double(bursts.reduce(0, +)) / Double(bursts.count)
    }

    /// The number of packets that arrived after a packet that was sent later.
    package var overtaken: Int {
        var latest = -1
        var count = 0
        for arrival in arrivals {
            if arrival.packet < latest { count += 1 }
            latest = max(latest, arrival.packet)
        }
        return count
    }

    /// Bits per second between the first and the last arrival.
    package var rate: Double {
        guard let first = arrivals.first, let last = arrivals.last, last.time > first.time else { return 0 }
        return Double((arrivals.count - 1) * frameBytes * 8) * 1e9 / Double(last.time - first.time)
    }

    /// Bits per second in each whole second from the first arrival on.
    package var rates: [Double] {
        guard let first = arrivals.first?.time, let last = arrivals.last?.time else { return [] }
        var counts = [Int](repeating: 0, count: Int((last - first) / 1_000_000_000))
        for arrival in arrivals {
            let second = Int((arrival.time - first) / 1_000_000_000)
            if counts.indices.contains(second) { counts[second] += 1 }
        }
        return counts.map { Double($0 * frameBytes * 8) }
    }
}
