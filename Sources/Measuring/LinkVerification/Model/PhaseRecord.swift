// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
internal import Statistics

/// The fates of the packets of a phase.
package struct PhaseRecord: Sendable {
    /// When the conditions took effect, in nanoseconds by the clock of the packets; nil if unknown.
    package var start: Int64?
    package var flows: [Direction: FlowRecord]
    /// How late the machine woke the probe for each packet, in milliseconds after its due time.
    package var lateness: [Double]
    /// How long the handshake of each TCP connection took, in milliseconds.
    package var roundTrips: [Double]
    /// The bytes that each direction's transfer delivered in order.
    package var received: [Direction: Int]

    package init(
        start: Int64? = nil,
        flows: [Direction: FlowRecord] = [:],
        lateness: [Double] = [],
        roundTrips: [Double] = [],
        received: [Direction: Int] = [:]
    ) {
        (self.start, self.flows, self.lateness, self.roundTrips) = (start, flows, lateness, roundTrips)
        self.received = received
    }

    /// How much later than the median the machine woke the probe for each packet, in milliseconds.
    package var unusualLateness: [Double] {
        guard !lateness.isEmpty else { return [] }
        let usual = lateness.median
        return lateness.map { max($0 - usual, 0) }
    }

    // MARK: Encoding for a pipe between two processes of this program

    private static let (damaged, marked): (Int64, Int64) = (1 << 62, 1 << 61)

    package var numbers: [Int64] {
        var numbers: [Int64] = [start == nil ? 0 : 1, start ?? 0]
        for direction in Direction.allCases {
            let flow = flows[direction]
            numbers += [Int64(flow?.frameBytes ?? 0), Int64(flow?.sends.count ?? 0)] + (flow?.sends ?? [])
            numbers.append(Int64(flow?.arrivals.count ?? 0))
            for arrival in flow?.arrivals ?? [] {
                let flags = (arrival.isDamaged ? Self.damaged : 0) | (arrival.isMarked ? Self.marked : 0)
                numbers += [Int64(arrival.packet) | flags, arrival.time]
            }
        }
        for times in [lateness, roundTrips] {
            numbers.append(Int64(times.count))
            numbers += times.map { Int64($0 * 1e6) }
        }
        numbers += Direction.allCases.map { Int64(received[$0] ?? -1) }
        return numbers
    }

    /// Decodes what `numbers` encodes, and removes it from the front; nil if it is incomplete.
    package init?(_ numbers: inout ArraySlice<Int64>) {
        func take(_ count: Int64) -> ArraySlice<Int64>? {
            guard count >= 0, count <= Int64(numbers.count) else { return nil }
            defer { numbers = numbers.dropFirst(Int(count)) }
            return numbers.prefix(Int(count))
        }
        guard let hasStart = numbers.popFirst(), let start = numbers.popFirst() else { return nil }
        self.init(start: hasStart == 1 ? start : nil)
        for direction in Direction.allCases {
            guard let bytes = numbers.popFirst(), let count = numbers.popFirst(), let sends = take(count),
                let arrived = numbers.popFirst(), arrived < 1 << 32, let pairs = take(2 * arrived)
            else { return nil }
            guard count > 0 else { continue }
            let arrivals = stride(from: pairs.startIndex, to: pairs.endIndex, by: 2).map { index in
                FlowRecord.Arrival(
                    packet: Int(pairs[index] & ~(Self.damaged | Self.marked)),
                    time: pairs[index + 1],
                    isDamaged: pairs[index] & Self.damaged != 0,
                    isMarked: pairs[index] & Self.marked != 0
                )
            }
            flows[direction] = FlowRecord(frameBytes: Int(bytes), sends: Array(sends), arrivals: arrivals)
        }
        for times in [\PhaseRecord.lateness, \.roundTrips] {
            guard let count = numbers.popFirst(), let values = take(count) else { return nil }
            self[keyPath: times] = values.map { Double($0) / 1e6 }
        }
        for direction in Direction.allCases {
            guard let bytes = numbers.popFirst() else { return nil }
            if bytes >= 0 { received[direction] = Int(bytes) }
        }
    }
}
