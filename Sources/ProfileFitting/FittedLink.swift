// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import ProfileFormats

/// The profile of a real link, fitted to what a recording tells of it, and how well each figure fits.
package struct FittedLink: Sendable {
    /// A row of the table of figures.
    package struct Figure: Hashable, Sendable {
        package let name: String
        package let value: String
        /// The interval of 95 % confidence; empty without one.
        package let interval: String
        /// How well it fits; empty where nothing tells.
        package let fit: String
    }

    package private(set) var profile: Profile
    package private(set) var figures: [Figure] = []
    /// What was assumed, and what the profile cannot say; a sentence each, without a full stop.
    package private(set) var remarks: [String] = []
    package private(set) var delay: DelayFit?
    /// Of both directions together.
    package private(set) var loss: LossFit?
    /// Packets that were lost in a row, and are not among those of `loss`.
    package private(set) var outage: Range<Int>?
    /// Of the downlink and the uplink, from TCP.
    package private(set) var rates: (down: RateFit?, up: RateFit?)
    package private(set) var segments: (down: LossFit?, up: LossFit?)
    /// Why this is no link of constant figures; a clause each.
    package private(set) var contradictions: [String] = []

    private static let fewestTrips = 10
    private static let fewestSegments = 200

    /// Fits a profile.
    ///
    /// - Parameter name: that of the profile.
    package init(_ samples: LinkSamples, name: String) throws(ImportError) {
        profile = Profile(name: name)
        let base = samples.leastTrip
        let spread = samples.spread
        rates = (
            samples.downlink.flatMap { RateFit($0, base: base, spread: spread, isDirect: true) },
            samples.uplink.flatMap { RateFit($0, base: base, spread: spread, isDirect: false) }
        )
        let isFew = samples.probes.count < Self.fewestTrips
        guard !isFew || rates.down?.rate != nil || rates.up?.rate != nil || samples.downlink != nil && base != nil
        else {
            let reason =
                "\(samples.probes.count) round trips are too few to fit a link to: \(Self.fewestTrips) are needed"
            throw .invalid(place: "", reason: reason)
        }
        remarks = samples.remarks
        fitDelay(samples)
        fitLoss(samples)
        fitRates(samples)
        addContradictions(trips: subtractingTransmission(samples), samples)
        profile.summary = summary(samples)
        if profile.downlink == Impairments() { profile.downlink = nil }
        if profile.uplink == Impairments() { profile.uplink = nil }
        do throws(InvalidProfile) {
            profile = try Profile(json: profile.json)
        } catch {
            throw .invalid(place: "", reason: "the profile would not be valid: \(error.issues[0].withoutPosition)")
        }
    }

    /// Changes both directions.
    private mutating func change(_ body: (inout Impairments) -> Void) {
        for direction in [\Profile.downlink, \.uplink] {
            var impairments = profile[keyPath: direction] ?? Impairments()
            body(&impairments)
            profile[keyPath: direction] = impairments
        }
    }

    private mutating func add(_ name: String, _ value: String, _ interval: String = "", _ fit: String = "") {
        figures.append(Figure(name: name, value: value, interval: interval, fit: fit))
    }

    // MARK: Delay

    /// The round trips without the time that the frames themselves take at the rates. A token bucket lets single frames
    /// pass at once: then there is nothing to subtract.
    private func subtractingTransmission(_ samples: LinkSamples) -> [Double] {
        let perByte = [rates.down, rates.up].compactMap(\.?.rate?.value).reduce(0) { $0 + 8 / $1 }
        let times = samples.probes.compactMap { probe in
            probe.trip.map { (trip: $0, own: Double(probe.bytes) * perByte) }
        }
        let isBucket = times.contains { $0.own > $0.trip }
        return times.map { isBucket ? $0.trip : $0.trip - $0.own }
    }

    private mutating func fitDelay(_ samples: LinkSamples) {
        let trips = subtractingTransmission(samples)
        guard !trips.isEmpty else { return }
        let fit = DelayFit(trips)
        delay = fit
        let value = Self.duration(fit.delay.value)
        change { $0.delay = value }
        add(
            "delay, each way",
            value.words,
            Self.range(fit.delay),
            fit.jitter == nil ? "spread \(Self.words(fit.spread))" : ""
        )
        add("least round trip", Self.words(samples.leastTrip ?? 0))
        remarks.append(
            "a round trip covers both directions: each is taken to have half of its delay, and jitter like the other's"
        )
        let unknown = [rates.down, rates.up].count { $0?.rate == nil }
        if unknown > 0, let bytes = samples.probes.map(\.bytes).max() {
            let ways = unknown == 2 ? "both directions take" : "the direction without a rate takes"
            remarks.append("the delay includes the time that \(ways) to send the frame itself, \(bytes) bytes at most")
        }
        guard let jitter = fit.jitter, let goodness = fit.goodness else {
            if trips.count < DelayFit.fewest {
                remarks.append("\(trips.count) round trips are too few to tell jitter: \(DelayFit.fewest) are needed")
            }
            return
        }
        let amount = Self.duration(jitter.amount.value)
        let isOrdered = !samples.isReordered
        change { $0.jitter = Jitter(amount: amount, distribution: jitter.kind, ordered: isOrdered) }
        let word = fit.isPoor ? "poor" : goodness.probability < 0.01 ? "near" : "good"
        // The simulations tell no smaller one.
        let probability = goodness.probability < 0.01 ? "p < 0.01" : Self.probability(goodness.probability)
        let fitText = "\(word): \(probability), distance \(goodness.distance.rounded(digits: 2))"
        add("jitter, each way", "\(amount.words) \(jitter.kind.rawValue)", Self.range(jitter.amount), fitText)
        let times = samples.probes.map(\.time).sorted()
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
        if isOrdered, gaps.quantile(0.5) < fit.spread {
            remarks.append(
                "packets were sent closer together than the jitter is wide, and may have waited for each other"
            )
        }
    }

    // MARK: Loss

    private mutating func fitLoss(_ samples: LinkSamples) {
        segments = (
            Self.loss(of: samples.downlink), Self.loss(of: samples.uplink)
        )
        let isSaturated = (rates.down?.rate != nil, rates.up?.rate != nil)
        if samples.countsLoss, !samples.probes.isEmpty {
            var isLost = samples.probes.map { $0.trip == nil }
            var fit = LossFit(isLost)
            outage = fit.outage
            if let outage {
                isLost.removeSubrange(outage)
                fit = LossFit(isLost)
            }
            loss = fit
            add("loss, round trip", Self.percent(fit.share.value), Self.percent(fit.share), Self.fit(of: fit))
            if let burst = fit.burst { addBurst("burst, round trip", burst) }
        }
        if let down = segments.down, let up = segments.up, !isSaturated.0, !isSaturated.1 {
            profile.downlink?.loss = down.model
            profile.uplink?.loss = up.model
            remarks.append("the losses of the profile are those of TCP's segments, which tell the directions apart")
        } else if let loss, loss.lost > 0 {
            let half = loss.halved()
            add("loss, each way", Self.percent(half.share.value), Self.percent(half.share))
            if let burst = half.burst { addBurst("burst, each way", burst) }
            change { $0.loss = half.model }
            remarks.append("which direction lost a packet is not known: each is taken to lose half of them")
        } else if loss == nil {
            if !isSaturated.0 { profile.downlink?.loss = segments.down?.model }
            if !isSaturated.1 { profile.uplink?.loss = segments.up?.model }
        }
        for (name, fit, isSaturated) in [
            ("downlink", segments.down, isSaturated.0), ("uplink", segments.up, isSaturated.1),
        ] {
            guard let fit else { continue }
            add("loss of TCP, \(name)", Self.percent(fit.share.value), Self.percent(fit.share), Self.fit(of: fit))
            if fit.lost > 0, isSaturated {
                remarks.append(
                    "the losses of TCP on the \(name) are not in the profile: its full queue drops packets, too"
                )
            }
        }
    }

    private static func loss(of transfer: Transfer?) -> LossFit? {
        transfer.flatMap { $0.isLost.count >= fewestSegments ? LossFit($0.isLost) : nil }
    }

    private mutating func addBurst(_ name: String, _ burst: Estimate) {
        let ends = (Self.number(burst.range.lowerBound), Self.number(burst.range.upperBound))
        add(name, "\(Self.number(burst.value)) packets", "\(ends.0) to \(ends.1)")
    }

    private static func fit(of fit: LossFit) -> String {
        guard fit.lost > 0 else { return "" }
        if let memory = fit.memory {
            return "without bursts \(probability(fit.independence)), with them \(probability(memory))"
        }
        return "independent: \(probability(fit.independence))"
    }

    // MARK: Rates

    private mutating func fitRates(_ samples: LinkSamples) {
        for (name, fit, direction) in [("downlink", rates.down, \Profile.downlink), ("uplink", rates.up, \.uplink)] {
            guard let fit else { continue }
            guard let rate = fit.rate else {
                add("rate, \(name)", "at least \(Self.rate(fit.atLeast))", "", "nothing saturated it")
                continue
            }
            let waiting = fit.standing.map { ", queue of \(Self.words($0))" } ?? ""
            let passed = "\(Int((fit.share * 100).rounded())) % of all bytes\(waiting)"
            add(
                "rate, \(name)",
                Self.rate(rate.value),
                "\(Self.rate(rate.range.lowerBound)) to \(Self.rate(rate.range.upperBound))",
                passed
            )
            var impairments = profile[keyPath: direction] ?? Impairments()
            impairments.rate = BitRate(bitsPerSecond: UInt64(rate.value.rounded(digits: 4)))
            if let queue = fit.queue, queue.value > 0.001 {
                impairments.queue = .time(Self.duration(queue.value))
                add("queue, \(name)", Self.words(queue.value), Self.range(queue), "it overflowed")
            } else if let standing = fit.standing {
                add("queue, \(name)", "at least \(Self.words(standing))")
            }
            profile[keyPath: direction] = impairments
        }
        let missing = [("downlink", rates.down), ("uplink", rates.up)].filter { $0.1?.rate == nil }.map(\.0)
        if missing.count == 1 {
            remarks.append(
                "the \(missing[0]) has no rate in the profile: nothing saturated it; transfer more in that direction"
            )
        } else if !missing.isEmpty, samples.downlink == nil {
            remarks.append("a log of ping tells no rate: capture a long transfer in each direction")
        } else if !missing.isEmpty {
            remarks.append(
                "the profile has no rate: nothing saturated the link; capture a long transfer in each direction"
            )
        }
    }

    // MARK: What does not fit

    private mutating func addContradictions(trips: [Double], _ samples: LinkSamples) {
        let constancy = Constancy(trips)
        var advice = "shape it by a schedule's steps, or import a part of the recording"
        if let outage {
            contradictions.append(
                "packets \(outage.lowerBound + 1) to \(outage.upperBound) were all lost, an outage that is not in the profile"
            )
            advice = "import the parts before and after it, and have a scenario make the outage"
        }
        if let (from, to) = constancy.drift {
            contradictions.append(
                "the round trip goes from \(Self.words(from)) to \(Self.words(to)) during the recording"
            )
        } else if let (low, high) = constancy.levels {
            contradictions.append("the usual round trip changes between \(Self.words(low)) and \(Self.words(high))")
        }
        if let (low, high, share) = constancy.modes, constancy.drift == nil {
            contradictions.append(
                "round trips have two modes, \(Self.words(low)) and \(Self.words(high)), the latter in \(Self.percent(share))"
            )
        } else if delay?.isPoor ?? false, constancy.drift == nil {
            contradictions.append("no kind of jitter that a profile has is near to the round trips")
        }
        if let (first, second) = loss?.halves {
            contradictions.append(
                "\(Self.percent(first)) of the first half were lost, and \(Self.percent(second)) of the second"
            )
        }
        if let loss, outage == nil, let memory = loss.memory, memory < 0.001 {
            contradictions.append(
                "losses come in bursts that the chain of a mean loss and a mean burst does not explain"
            )
        }
        if !contradictions.isEmpty {
            remarks.append("this is no link of constant figures: \(contradictions.joined(separator: "; ")); \(advice)")
        }
    }

    private func summary(_ samples: LinkSamples) -> String {
        let peer = samples.peer.map { " to \($0)" } ?? ""
        return "Fitted to \(samples.probes.count) round trips\(peer)" + (contradictions.isEmpty ? "" : "; a bad fit")
    }
}
