// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles

/// A slow bottleneck after the definition, which shares no code with the pipeline.
///
/// Work is the integral of the rate. A busy period begins with a frame on an idle link; a frame is sent at the first
/// nanosecond at which the work since then covers it and the earlier frames of the period.
struct BottleneckOracle {
    enum Capacity {
        /// Rates from given nanoseconds on, the first from 0; with the period after which they begin again.
        case rates([(start: Int64, rate: UInt64)], period: Int64?)
        /// The times of all opportunities, in milliseconds.
        case chances([Int64])
    }

    let capacity: Capacity
    let limitBytes: Int
    let limitPackets: Int
    let overhead: Overhead?

    /// Returns the times at which packets are sent; nil for dropped ones. Packets must be in order of time.
    func departures(_ packets: [(ready: Int64, bytes: Int)]) -> [Int64?] {
        switch capacity {
        case .rates: departuresByRate(packets)
        case .chances(let chances): departuresByChances(packets, chances)
        }
    }

    private func wireBytes(_ bytes: Int) -> Int {
        guard let overhead else { return bytes }
        let length = max(bytes + overhead.packet, 1)
        guard let cell = overhead.cell else { return length }
        let cells = length / cell + (length % cell > 0 ? 1 : 0)
        return cells * (cell + (overhead.cellOverhead ?? 0))
    }

    /// Bits times 10^9 that could have been sent from 0 until `time`.
    private func work(until time: Int64) -> Int128 {
        guard case .rates(let rates, let period) = capacity else { return 0 }
        func within(_ end: Int64) -> Int128 {
            rates.indices.reduce(0) { sum, index in
                let stop = min(index + 1 < rates.count ? rates[index + 1].start : .max, end)
                return sum + Int128(max(stop - rates[index].start, 0)) * Int128(rates[index].rate)
            }
        }
        guard let period else { return within(time) }
        return Int128(time / period) * within(period) + within(time % period)
    }

    private func departuresByRate(_ packets: [(ready: Int64, bytes: Int)]) -> [Int64?] {
        var buffer: [(end: Int64, bytes: Int)] = []
        var busySince: Int64 = 0
        var workOfPeriod: Int128 = 0
        return packets.map { packet in
            let bytes = wireBytes(packet.bytes)
            buffer.removeAll { $0.end <= packet.ready }
            if buffer.isEmpty {
                busySince = packet.ready
                workOfPeriod = 0
            } else if buffer.count + 1 > limitPackets || buffer.reduce(bytes, { $0 + $1.bytes }) > limitBytes {
                return nil
            }
            workOfPeriod += Int128(bytes) * 8_000_000_000
            let goal = work(until: busySince) + workOfPeriod
            var (low, high) = (packet.ready, packet.ready + 1)
            while work(until: high) < goal { high += high - low }
            while high - low > 1 {
                let middle = low + (high - low) / 2
                if work(until: middle) < goal { low = middle } else { high = middle }
            }
            buffer.append((high, bytes))
            return high
        }
    }

    /// As in mahimahi's link_queue.cc: the opportunities of a millisecond come before its packets.
    private func departuresByChances(_ packets: [(ready: Int64, bytes: Int)], _ chances: [Int64]) -> [Int64?] {
        var result = [Int64?](repeating: nil, count: packets.count)
        var waiting: [(index: Int, bytes: Int, left: Int)] = []
        var next = 0
        for chance in chances.map({ $0 * 1_000_000 }) {
            while next < packets.count, packets[next].ready < chance {
                let bytes = wireBytes(packets[next].bytes)
                let isFull =
                    waiting.count + 1 > limitPackets || waiting.reduce(bytes, { $0 + $1.bytes }) > limitBytes
                if waiting.isEmpty || !isFull { waiting.append((next, bytes, max(bytes - 10, 1))) }
                next += 1
            }
            var left = 1504
            while left > 0, !waiting.isEmpty {
                let sent = min(waiting[0].left, left)
                waiting[0].left -= sent
                left -= sent
                if waiting[0].left == 0 { result[waiting.removeFirst().index] = chance }
            }
        }
        return result
    }
}
