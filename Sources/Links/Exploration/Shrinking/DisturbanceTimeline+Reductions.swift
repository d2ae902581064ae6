// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension DisturbanceTimeline {
    /// The timelines that are one step smaller, the largest reductions first: fewer disturbances, fewer steps, fewer
    /// figures, milder figures, shorter times.
    package func reductions(shortestTime: Duration) -> [DisturbanceTimeline] {
        let count = disturbances.count
        var smaller: [DisturbanceTimeline] = []
        if count > 3 {
            smaller.append(DisturbanceTimeline(base, Array(disturbances[..<(count / 2)])))
            smaller.append(DisturbanceTimeline(base, Array(disturbances[(count / 2)...])))
        }
        if count > 1 { smaller += disturbances.indices.map(removing) }
        for (index, each) in disturbances.enumerated() {
            if each.start > .zero, !each.needsStep { smaller.append(replacing(index) { $0.start = .zero }) }
            if each.length != nil { smaller.append(replacing(index) { $0.length = nil }) }
        }
        for (index, each) in disturbances.enumerated() {
            smaller += each.effect.parts.map { effect in replacing(index) { $0.effect = effect } }
        }
        for (index, each) in disturbances.enumerated() {
            smaller += each.effect.milder.map { effect in replacing(index) { $0.effect = effect } }
        }
        for (index, each) in disturbances.enumerated() {
            if let length = each.length?.shorter(than: shortestTime) {
                smaller.append(replacing(index) { $0.length = length })
            }
            if let start = each.start.shorter(than: shortestTime) {
                smaller.append(replacing(index) { $0.start = start })
            }
        }
        return smaller
    }
}

extension Duration {
    /// Half of the time, rounded to two digits; nil if that is below `limit`.
    fileprivate func shorter(than limit: Duration) -> Duration? {
        let half = (self / 2).readable
        return half >= limit && half < self ? half : nil
    }
}

extension Disturbance.Effect {
    /// The effects with one part fewer: one direction instead of both, one figure fewer, or a fault on one connection
    /// only.
    fileprivate var parts: [Disturbance.Effect] {
        switch self {
        case .figures(let direction, let figures):
            let directions: [Disturbance.Effect] =
                direction == nil ? [.figures(.downlink, figures), .figures(.uplink, figures)] : []
            return directions + figures.parts.map { .figures(direction, $0) }
        case .fault(var fault):
            guard fault.match.connection == nil, fault.match.ends.protocols == [.tcp], fault.match.name == nil,
                fault.match.packet != .ordinal(.first(1))
            else { return [] }
            fault.match.connection = .first(1)
            return [.fault(fault)]
        case .nat(var translation):
            guard translation.filtering != .endpoint else { return [] }
            translation.filtering = .endpoint
            return [.nat(translation)]
        default: return []
        }
    }

    /// The effects with one figure milder.
    fileprivate var milder: [Disturbance.Effect] {
        switch self {
        case .figures(let direction, let figures): return figures.milder.map { .figures(direction, $0) }
        case .dns(let delay):
            let half = (delay / 2).readable
            return half >= .milliseconds(50) ? [.dns(half)] : []
        case .fault(var fault):
            guard case .bytes(let count)? = fault.match.after, count.bytes > 1 else { return [] }
            fault.match.after = .bytes(ByteCount(bytes: count.bytes > 20 ? count.bytes / 10 : 1))
            return [.fault(fault)]
        case .mtu(let size): return size < 1400 ? [.mtu(1400)] : []
        case .nat(var translation):
            guard let idle = translation.idle, idle < .seconds(2) else { return [] }
            translation.idle = (idle * 2).readable
            return [.nat(translation)]
        default: return []
        }
    }
}

extension Impairments {
    /// The impairments with one figure fewer, at least one left.
    fileprivate var parts: [Impairments] {
        var all: [Impairments] = []
        func add(_ change: (inout Impairments) -> Void) {
            var smaller = self
            change(&smaller)
            if smaller != self, smaller != Impairments() { all.append(smaller) }
        }
        add { $0.jitter = nil }
        add { $0.reorder = nil }
        add { $0.duplicate = nil }
        add { if $0.jitter == nil, $0.reorder == nil { $0.delay = nil } }
        add {
            if case .gilbertElliott(let chain)? = $0.loss { $0.loss = .random(Probability(fraction: chain.meanLoss)) }
        }
        return all
    }

    /// The impairments with one figure half as harsh; none for a figure that is mild already.
    fileprivate var milder: [Impairments] {
        var all: [Impairments] = []
        func add(_ change: (inout Impairments) -> Void) {
            var smaller = self
            change(&smaller)
            if smaller != self { all.append(smaller) }
        }
        add { $0.delay = $0.delay.map { Self.half($0, atLeast: .milliseconds(20)) } }
        add { figures in
            figures.jitter = figures.jitter.map { jitter in
                var jitter = jitter
                jitter.amount = Self.half(jitter.amount, atLeast: .milliseconds(5))
                return jitter
            }
        }
        add { if case .random(let share)? = $0.loss { $0.loss = .random(Self.half(share)) } }
        add {
            guard case .gilbertElliott(let chain)? = $0.loss, let burst = chain.meanBurst else { return }
            let share = Self.half(Probability(fraction: chain.meanLoss))
            $0.loss = GilbertElliott(loss: share, burst: burst).map { .gilbertElliott($0) } ?? $0.loss
        }
        add { $0.duplicate = $0.duplicate.map(Self.half) }
        add { figures in
            figures.reorder = figures.reorder.map { Reorder(probability: Self.half($0.probability), gap: $0.gap) }
        }
        add { figures in
            guard let rate = figures.rate?.bitsPerSecond, rate < 10_000_000 else { return }
            figures.rate = BitRate(bitsPerSecond: UInt64(Double(rate * 2).readable))
        }
        return all
    }

    private static func half(_ time: Duration, atLeast limit: Duration) -> Duration {
        let half = (time / 2).readable
        return half >= limit ? half : time
    }

    private static func half(_ share: Probability) -> Probability {
        let half = (share.fraction / 2).readable
        return half >= 0.005 ? Probability(fraction: half) : share
    }
}
