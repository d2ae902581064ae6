// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Statistics

/// Asked beside measured. A figure that cannot be judged now has no verdict.
///
/// ## Rate
///
/// A rate is below what was asked only if packets waited for it: more bytes were held at every sample of two seconds
/// than the delay holds at the asked rate. It is above if more left than the asked rate allows. Two frames at the ends
/// of the window, 5 ms between the clock and the counters, and 2 % for timers are allowed either way. Beside competing
/// traffic no rate is too low.
///
/// ## Loss
///
/// The packets of the last ten seconds: the number of losses must lie within five standard errors of a binomial
/// distribution, wider by the correlation of losses in bursts. A pump counts the losses of the loss model alone. The
/// kernel counts those of a full queue with them, so there a lane with a rate can only lose too few.
///
/// ## Delay
///
/// The mean of a second: from the asked delay, less the jitter that a mean of so many packets may have, to that delay
/// with the jitter and the wait in a full queue. 2 ms and 2 % are allowed; 10 ms and 10 % if Little's law gives the
/// mean.
struct LaneVerdict: Hashable, Sendable {
    enum Word: String, Sendable {
        case asAsked = "as asked"
        case below, above, idle
    }

    var rate: Word?
    var loss: Word?
    var delay: Word?
    /// The sentence about the rate, or about the first figure that is not as asked.
    var words: String?

    private static let timers = 0.02
    private static let clocks = Duration.milliseconds(5)
    private static let frames = 2.0
    /// The length of the window in which the rate is judged.
    static let rateWindow = Duration.seconds(2)
    /// The number of seconds whose losses are judged.
    static let lossSeconds = 10
    /// The packets from which on losses are judged.
    private static let leastTrials: UInt64 = 20

    /// - Parameter start: the time of `BootClock` since which the figures are asked.
    init(_ asked: AskedFigures, _ history: LaneHistory, since start: Duration) {
        guard let second = history.window(last: .seconds(1), since: start) else { return }
        guard second.packets > 0 || second.held > 0 else {
            if asked.rate != nil { rate = .idle }
            if asked.loss != nil { loss = .idle }
            if asked.delay != nil { delay = .idle }
            return
        }
        if let window = history.window(last: Self.rateWindow, since: start) { judgeRate(asked, window) }
        judgeLoss(asked, history.losses(last: Self.lossSeconds, since: start))
        judgeDelay(asked, second)
    }

    private mutating func judgeRate(_ asked: AskedFigures, _ window: LaneWindow) {
        guard let limit = asked.rate else { return }
        let seconds = window.length / .seconds(1)
        let measured = asked.wireBytes(window.leftBytes, packets: window.left) * 8 / seconds
        let tolerance =
            limit * Self.timers + limit * (Self.clocks / window.length)
            + Self.frames * Double(Frame.fullSizeBytes) * 8 / seconds
        if measured > limit + tolerance {
            rate = .above
            words = "\(Self.rate(measured)) of \(Self.rate(limit))"
            return
        }
        guard Self.waited(asked, window, limit) else { return }
        words = "\(Self.rate(measured)) of \(Self.rate(limit)) while packets waited"
        guard measured < limit - tolerance else {
            rate = .asAsked
            return
        }
        // Competing traffic takes a part that is not known here.
        rate = asked.impairments.competing == nil ? .below : nil
    }

    /// Whether packets waited for the bottleneck during the whole window, beyond those that are delayed only.
    private static func waited(_ asked: AskedFigures, _ window: LaneWindow, _ limit: Double) -> Bool {
        let delay = (asked.delay ?? .zero) + (asked.jitter ?? .zero)
        let delayed = limit / 8 * (delay / .seconds(1))
        let frame = window.left > 0 ? Double(window.leftBytes) / Double(window.left) : Double(Frame.fullSizeBytes)
        let held = window.leastHeldBytes.map { Double($0) } ?? Double(window.leastHeld) * frame
        return window.samples >= 3 && held > delayed + frame
    }

    private mutating func judgeLoss(
        _ asked: AskedFigures,
        _ counts: (left: UInt64, drops: UInt64, model: UInt64?)
    ) {
        guard let share = asked.loss else { return }
        let drops = counts.model ?? counts.drops
        let trials = counts.left + drops
        guard trials >= Self.leastTrials else { return }
        let (count, expected) = (Int(drops), share * Double(trials))
        if StandardErrors.agrees(count, of: Int(trials), with: share, correlation: asked.lossCorrelation) {
            loss = .asAsked
        } else if Double(count) < expected {
            loss = .below
        } else {
            // Where all drops are one number, a full queue may be the reason.
            let mayBeFull = counts.model == nil && asked.longestWait != .zero
            loss = mayBeFull ? nil : .above
        }
        guard loss == .below || loss == .above, rate != .below, rate != .above else { return }
        words = "\(Self.percent(Double(count) / Double(trials))) lost of \(Self.percent(share)) asked"
    }

    private mutating func judgeDelay(_ asked: AskedFigures, _ window: LaneWindow) {
        guard let delay = asked.delay, let measured = window.delay else { return }
        let jitter = asked.jitter ?? .zero
        let isEven = asked.impairments.jitter.map { $0.distribution == .uniform } ?? true
        // Of a mean; one value of a uniform distribution varies by the whole jitter.
        let variation = min(jitter, jitter * 5 / Double(measured.packets).squareRoot())
        let allowed = measured.isEstimate ? (.milliseconds(10) + delay / 10) : (.milliseconds(2) + delay / 50)
        let overtaking = asked.impairments.reorder?.probability.fraction ?? 0
        let least = delay * (1 - overtaking) - variation - allowed
        if measured.mean < least {
            self.delay = .below
        } else if let wait = asked.longestWait {
            // Ordered packets wait for late ones before them: their mean tends to the latest delay.
            let latest = delay + (isEven ? jitter : jitter * 6) + wait
            self.delay = measured.mean > latest + allowed ? .above : .asAsked
        } else {
            self.delay = .asAsked
        }
        guard self.delay != .asAsked, [rate, loss].allSatisfy({ $0 != .below && $0 != .above }) else { return }
        words = "\(Self.time(measured.mean)) of delay, \(delay.text) asked"
    }

    var json: JSON {
        JSON(
            ("rate", .text(rate?.rawValue)),
            ("loss", .text(loss?.rawValue)),
            ("delay", .text(delay?.rawValue)),
            ("words", .text(words))
        )
    }

    /// Three digits: "5.12 Mbit/s".
    private static func rate(_ bits: Double) -> String {
        var unit: UInt64 = 1
        while bits / Double(unit) >= 1000 { unit *= 10 }
        return "\(BitRate(bitsPerSecond: UInt64((bits / Double(unit)).rounded()) * unit))"
    }

    private static func percent(_ share: Double) -> String { "\(Double(Int(share * 10_000 + 0.5)) / 100) %" }

    private static func time(_ time: Duration) -> String {
        Duration.microseconds(Int64((time / .microseconds(100)).rounded()) * 100).text
    }
}

extension AskedFigures {
    /// The correlation of a packet's loss with that of the next.
    fileprivate var lossCorrelation: Double {
        switch impairments.loss {
        case .gilbertElliott(let chain): min(0.99, max(0, 1 - chain.p.fraction - chain.r.fraction))
        case .fourState(let chain): min(0.99, max(0, 1 - chain.p13.fraction - chain.p31.fraction))
        case .random, .limited, nil: 0
        }
    }
}
