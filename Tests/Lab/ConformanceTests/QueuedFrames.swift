// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinkVerification
import Statistics
import TestKit
import Testing

/// netem's queue, by measurement: frames of any size are lost where the pipeline loses them, and no others.
///
/// A few links and sizes, or every built-in profile with a rate in the soak.
@Suite(.serialized, .enabled(if: Kernel.isRoot && Kernel.hasNetem, "needs root and sch_netem"))
struct QueuedFrames {
    private static let isSoak = Extent.current == .soak
    /// How many links are measured side by side.
    private static let width = 5
    /// Where the queue is nearly full, the fate of one packet depends on microseconds, and on how much of the frame that
    /// is being sent still counts.
    private static let tolerance = 2.0
    /// Milliseconds that the probe may be behind for a wrong count to say something: the lab's timers have steps of 10 ms.
    private static let stillness = 10.0

    @Test func areLostAsTheModelLosesThem() async throws {
        let cases = Self.isSoak ? FrameCase.all() : try FrameCase.few()
        try #require(!cases.isEmpty)
        for start in stride(from: 0, to: cases.count, by: Self.width) {
            let group = cases[start..<min(start + Self.width, cases.count)]
            let trials = try group.map { ($0, try Trial($0.link, .netem, seed: 1)) }
            for (each, trial) in trials {
                var measurement = try await trial.finish()
                var (series, run) = (Measurements(stillness: Self.stillness), 1 as UInt64)
                while try !series.isSettled(fault: fault(measurement, each), yardstick: measurement.backlog) {
                    run += 1
                    measurement = try await Trial(each.link, .netem, seed: run).finish()
                }
            }
        }
    }

    /// What is wrong; nil for nothing.
    private func fault(_ measurement: Measurement, _ each: FrameCase) throws -> String? {
        try Direction.allCases.compactMap { try fault(measurement, $0, each) }.first
    }

    private func fault(_ measurement: Measurement, _ direction: Direction, _ each: FrameCase) throws -> String? {
        let figures = direction == .uplink ? each.profile.uplink : each.profile.downlink
        guard figures?.rate != nil else { return nil }
        let record = try #require(measurement.flows[direction])
        let bounds = Self.losses(record, LaneModel(each.profile, direction))
        let expected = "\(Int(bounds.lowerBound.rounded(.up))) to \(Int(bounds.upperBound))"
        let found = "\(each) \(direction): \(record.losses) of \(record.sends.count) lost, expected \(expected)"
        print("frames: \(found), behind by \(measurement.backlog) ms")
        return bounds.contains(Double(record.losses)) ? nil : found
    }

    /// How many of the packets may be lost: what the model loses, give or take its scatter.
    private static func losses(_ record: FlowRecord, _ model: LaneModel) -> ClosedRange<Double> {
        let models = (1000..<(model.isRandom ? 1040 : 1001)).map { seed in
            Double(model.record(of: record.sends, frameBytes: record.frameBytes, seed: seed).losses)
        }
        var scatter = 0.0
        if models.count > 1 {
            let reach = StudentDistribution(degreesOfFreedom: models.count - 1).limit(error: 1e-6)
            scatter = reach * (models.variance * (1 + 1 / Double(models.count))).squareRoot()
        }
        let mean = models.mean
        return max(mean - scatter - tolerance, 0)...mean + scatter + tolerance
    }
}
