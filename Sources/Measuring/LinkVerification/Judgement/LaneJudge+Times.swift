// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles
internal import Statistics

/// Delays and rates.
extension LaneJudge {
    /// Judges a quantile of the delays: the delay that the share `part` of the packets does not exceed.
    func delay(_ part: Double, _ aspect: Aspect, _ record: FlowRecord, _ machine: MachineNoise) -> LinkFinding? {
        let delays = record.delays
        let models = models.map(\.delays).filter { !$0.isEmpty }
        guard !delays.isEmpty, !models.isEmpty else { return nil }
        let (mean, scatter) = prediction(models.map { $0.quantile(part) })
        var tolerance = part > 0.95 ? tolerances.tail(mean) : tolerances.delay(mean)
        if part == 1 {
            // The last slot of a full queue may go to another packet than in the model.
            tolerance += 2 * packetTime
        }
        // An engine that competes for a processor may be woken late for more packets than the probe was.
        let late = machine.lateness(part > 0.95 ? 1 : part > 0.85 ? 0.99 : 0.9)
        let measured = delays.quantile(part) - machine.ownDelay
        let allowed = mean - tolerance - scatter...mean + tolerance + scatter
        // `machine.ownDelay` was measured earlier, when the machine may have been busier.
        let excusable = allowed.lowerBound - machine.ownDelay...allowed.upperBound + late
        return LinkFinding(aspect, modelled: mean, measured: measured, allowed: allowed, excusable: excusable)
    }

    /// The transmission time of one packet at the bottleneck, in milliseconds.
    private var packetTime: Double {
        guard let rate = model.conditions.base.rate, !rate.isZero else { return 0 }
        return Double(rate.time(forBytes: Double(sent.frameBytes)).nanoseconds) / 1e6
    }

    func meanDelay(_ record: FlowRecord, _ machine: MachineNoise) -> LinkFinding? {
        let models = models.map(\.delays).filter { !$0.isEmpty }
        guard !record.delays.isEmpty, !models.isEmpty else { return nil }
        let (mean, scatter) = prediction(models.map(\.mean))
        let reach = tolerances.delay(mean) + scatter
        return LinkFinding(
            .meanDelay,
            modelled: mean,
            measured: record.delays.mean - machine.ownDelay,
            allowed: mean - reach...mean + reach,
            excusable: mean - reach...mean + reach + machine.meanLateness
        )
    }

    /// Compares the distribution of the delays with the model's: they may not be earlier, and later only by the
    /// lateness of this machine.
    func shape(_ record: FlowRecord, _ machine: MachineNoise) -> LinkFinding? {
        let modelled = models.flatMap(\.delays)
        let measured = record.delays.map { $0 - machine.ownDelay }
        guard !modelled.isEmpty, !measured.isEmpty else { return nil }
        let limit = KolmogorovSmirnov.limit(measured.count, modelled.count, error: error)
        let early = KolmogorovSmirnov.excess(of: measured, over: modelled)
        let late = KolmogorovSmirnov.excess(of: modelled, over: measured)
        // The part of the distance that a machine as late as this one explains.
        let explained = late - KolmogorovSmirnov.excess(of: machine.late(modelled), over: measured)
        return LinkFinding(
            .shape,
            modelled: 0,
            measured: max(early, late),
            allowed: 0...limit,
            excusable: 0...limit + (early <= limit ? max(explained, 0) : 0)
        )
    }

    func filling() -> LinkFinding? {
        guard !model.isScheduled, let rate = model.conditions.base.rate, !rate.isZero else { return nil }
        let wireBytes = model.conditions.base.overhead?.wireBytes(ofFrame: sent.frameBytes) ?? sent.frameBytes
        let onWire = models.map(\.rate).mean * Double(wireBytes) / Double(sent.frameBytes)
        // Damaged packets take their time on the link, and are lost behind it.
        let intact = sent.losesDamaged ? 1 - (model.conditions.base.meanCorruption ?? 0) : 1
        guard intact > 0 else { return nil }
        let share = onWire / intact / Double(rate.bitsPerSecond)
        // A link that was not filled is not thereby wrong, so a low value is excusable.
        return LinkFinding(.filling, modelled: 1, measured: share, allowed: 0.98...1.001, excusable: 0...1.001)
    }

    func rate(_ record: FlowRecord, _ machine: MachineNoise) -> LinkFinding? {
        let (modelled, scatter) = prediction(models.map(\.rate))
        guard modelled > 0 else { return nil }
        let share = record.rate / modelled
        let reach = tolerances.rate + scatter / modelled
        let allowed = 1 - reach...1 + reach
        // Only the lateness of the first and the last packet changes the rate.
        let time = Double((sent.times.last ?? 0) - (sent.times.first ?? 0)) / 1e6
        let noise = time > 0 ? 2 * machine.lateness(1) / time : 0
        return LinkFinding(
            .rate,
            modelled: 1,
            measured: share,
            allowed: allowed,
            excusable: allowed.lowerBound - noise...allowed.upperBound + noise
        )
    }

    /// The share of the fastest second's rate that a second needs to be judged.
    private static let leastOfSecond = 0.05

    /// Judges one whole second: `choose` selects it from the ratios of measured to modelled rate, of the seconds in
    /// which the model sends.
    ///
    /// A second of which an outage leaves a few packets is not judged: a step that is a millisecond late would halve it.
    func second(
        _ aspect: Aspect,
        _ record: FlowRecord,
        _ machine: MachineNoise,
        _ choose: ([Double]) -> Double?
    ) -> LinkFinding? {
        let models = models.map(\.rates)
        let count = min(models.map(\.count).min() ?? 0, record.rates.count)
        guard count > 0 else { return nil }
        let means = (0..<count).map { second in models.map { $0[second] }.mean }
        let fastest = means.max() ?? 0
        let judged = means.indices.filter { means[$0] > fastest * Self.leastOfSecond }
        let rates = record.rates
        guard let minimum = judged.map({ means[$0] }).min(), minimum > 0,
            let measured = choose(judged.map { rates[$0] / means[$0] })
        else { return nil }
        let scatter = models.count > 1 ? spread(models, judged) : 0
        // A packet at the start or end of a second may fall into the neighbouring second.
        let reach = tolerances.rate + 2 * Double(sent.frameBytes * 8) / minimum + scatter
        // What comes late leaves a second at the fastest rate, and is missed more where little comes.
        let noise = 2 * machine.lateness(1) / 1000 * fastest / minimum
        return LinkFinding(
            aspect,
            modelled: 1,
            measured: measured,
            allowed: 1 - reach...1 + reach,
            excusable: 1 - reach - noise...1 + reach + noise
        )
    }

    /// The largest scatter of a second's rate between runs of the model, as a share of the mean rate of that second.
    private func spread(_ models: [[Double]], _ seconds: [Int]) -> Double {
        seconds.reduce(0) { maximum, second in
            let (mean, reach) = prediction(models.map { $0[second] })
            return mean > 0 ? max(maximum, reach / mean) : maximum
        }
    }
}
