// SPDX-License-Identifier: Apache-2.0

/// The congestion window of CUBIC (RFC 9438) with HyStart, after net/ipv4/tcp_cubic.c; in segments and seconds.
struct CubicWindow {
    private(set) var segments = 10.0
    private var threshold = Double.infinity
    /// The window before the last reduction (W_max), and the start and origin of the current cubic curve.
    private var lastMost = 0.0
    private var epoch: (start: Double, origin: Double, k: Double, friendly: Double)?
    private var minimumRoundTrip = Double.infinity
    private var round = Round()

    /// What HyStart has measured in one round trip, to end slow start when a queue builds up.
    private struct Round {
        var end = 0
        var start = 0.0
        var lastAck = 0.0
        var samples = 0
        var minimumRoundTrip = Double.infinity
    }

    private static let (scale, decrease) = (0.4, 717.0 / 1_024)
    /// HyStart's smallest window that ends slow start, samples per round, and range of the round trip's growth.
    private static let (hystartWindow, hystartSamples, hystartGrowth) = (16.0, 8, 0.004...0.016)
    /// Acknowledgements at shorter intervals belong to one train.
    private static let train = 0.002

    /// Grows the window after an acknowledgement.
    ///
    /// - Parameters:
    ///   - acknowledged: the first segment that is not yet acknowledged.
    ///   - next: the next segment to send.
    ///   - roundTrip: the round trip of the acknowledged segment; nil if it was retransmitted.
    mutating func acknowledge(_ count: Int, upTo acknowledged: Int, next: Int, roundTrip: Double?, at now: Double) {
        if let roundTrip { minimumRoundTrip = min(minimumRoundTrip, roundTrip) }
        if segments < threshold {
            if acknowledged > round.end { round = Round(end: next, start: now, lastAck: now) }
            look(roundTrip, now)
            segments += Double(count)
            return
        }
        grow(Double(count), now)
    }

    private mutating func look(_ roundTrip: Double?, _ now: Double) {
        if let roundTrip, round.samples < Self.hystartSamples {
            round.samples += 1
            round.minimumRoundTrip = min(round.minimumRoundTrip, roundTrip)
        }
        guard segments >= Self.hystartWindow else { return }
        if now - round.lastAck <= Self.train {
            round.lastAck = now
            if now - round.start > minimumRoundTrip / 2 { threshold = segments }
        }
        let growth = min(max(minimumRoundTrip / 8, Self.hystartGrowth.lowerBound), Self.hystartGrowth.upperBound)
        if round.samples >= Self.hystartSamples, round.minimumRoundTrip > minimumRoundTrip + growth {
            threshold = segments
        }
    }

    /// Congestion avoidance: the larger of the cubic curve and Reno's window.
    private mutating func grow(_ count: Double, _ now: Double) {
        if epoch == nil {
            let origin = max(lastMost, segments)
            epoch = (now, origin, ((origin - segments) / Self.scale).cubeRoot, segments)
        }
        guard var epoch else { return }
        let time = now - epoch.start + (minimumRoundTrip.isFinite ? minimumRoundTrip : 0)
        let distance = time - epoch.k
        let target = epoch.origin + Self.scale * distance * distance * distance
        // The window grows by at most half a segment for each acknowledged segment.
        segments += target > segments ? count * min((target - segments) / segments, 0.5) : count * 0.01 / segments
        let reno = 3 * (1 - Self.decrease) / (1 + Self.decrease)
        epoch.friendly += reno * count / segments
        segments = max(segments, epoch.friendly)
        self.epoch = epoch
    }

    /// Reduces the window after a loss.
    mutating func reduce() {
        lastMost = segments < lastMost ? segments * (1 + Self.decrease) / 2 : segments
        epoch = nil
        segments = max(segments * Self.decrease, 2)
        threshold = segments
    }

    /// Reduces the window to one segment after a timeout.
    mutating func collapse() {
        reduce()
        segments = 1
        round = Round()
    }
}

extension Double {
    fileprivate var cubeRoot: Double {
        guard self > 0 else { return 0 }
        // Newton's method: a library's power function does not give the same bits on every system.
        var root = max(self, 1)
        for _ in 0..<100 { root -= (root * root * root - self) / (3 * root * root) }
        return root
    }
}
