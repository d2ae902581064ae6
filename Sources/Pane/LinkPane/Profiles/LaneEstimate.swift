// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles

/// The figures of one direction as numbers: seconds, bits per second, shares.
struct LaneEstimate {
    let delay: Double
    /// nil without a limit.
    let rate: Double?
    /// 1 if nothing passes.
    let loss: Double
    /// The capacity of the bottleneck's buffer; nil without a rate, and where the queue's discipline keeps it from
    /// filling.
    let queueBytes: Double?
    private let overhead: Overhead?
    private let jitter: Jitter?

    init(_ figures: Impairments) {
        delay = (figures.delay ?? .zero) / .seconds(1)
        overhead = figures.overhead
        jitter = figures.jitter
        // A rate whose mean is zero holds every packet back.
        let isHeld = figures.rate?.isZero == true
        rate = isHeld ? nil : figures.rate.map { Double($0.bitsPerSecond) }
        // Packets that are marked instead of dropped arrive, if the connection uses ECN; a damaged one does not.
        let lost = figures.loss?.meanLoss ?? 0
        loss = isHeld ? 1 : 1 - (1 - lost) * (1 - (figures.corrupt?.fraction ?? 0))
        queueBytes =
            isHeld || figures.queueManagement?.marks == true
            ? nil
            : figures.rate.map { rate in
                let capacity = QueueCapacity(figures.queue, rate: rate, overhead: figures.overhead)
                let frame = figures.overhead?.wireBytes(ofFrame: Frame.fullSizeBytes) ?? Frame.fullSizeBytes
                let packets = capacity.packets.multipliedReportingOverflow(by: frame)
                return Double(min(capacity.bytes, packets.overflow ? .max : packets.partialValue))
            }
    }

    /// The time that a frame occupies the bottleneck.
    func onWire(_ frameBytes: Int) -> Double {
        rate.map { Double(overhead?.wireBytes(ofFrame: frameBytes) ?? frameBytes) * 8 / $0 } ?? 0
    }

    /// The time of a frame that meets no other.
    func time(_ frameBytes: Int) -> Double { delay + onWire(frameBytes) }

    /// The range of the sum of both delays; nil if neither varies. The whole range if no distribution has tails, else
    /// from 5 % to 95 %.
    static func range(_ first: LaneEstimate, _ second: LaneEstimate) -> (shortest: Double, longest: Double)? {
        let varied = [first, second].compactMap(\.jitter).filter { $0.amount > .zero }
        guard !varied.isEmpty else { return nil }
        if varied.allSatisfy({ $0.distribution == .uniform }) {
            let ends = [first, second].map { lane in
                let amount = (lane.jitter?.amount ?? .zero) / .seconds(1)
                return (max(lane.delay - amount, 0), lane.delay + amount)
            }
            return (ends[0].0 + ends[1].0, ends[0].1 + ends[1].1)
        }
        let others = second.quantiles
        let sums = first.quantiles.flatMap { each in others.map { each + $0 } }.sorted()
        return (sums[sums.count / 20], sums[sums.count * 19 / 20])
    }

    /// Delays at equal steps of their distribution.
    private var quantiles: [Double] {
        guard let jitter, jitter.amount > .zero else { return [delay] }
        let amount = jitter.amount / .seconds(1)
        let table = DelayTable.values(for: jitter.distribution)
        return (0..<Self.steps).map { step in
            let share = (Double(step) + 0.5) / Double(Self.steps)
            let deviation =
                table.isEmpty
                ? 2 * share - 1 : Double(table[Int(share * Double(table.count))]) / Double(DelayTable.unit)
            return max(delay + amount * deviation, 0)
        }
    }

    private static let steps = 128
}
