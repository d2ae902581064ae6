// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import ProfileFormats

/// The answers of one run of ping.
struct PingRun {
    private struct Answer {
        /// The sequence number, continued past 65,535 where its 16 bits wrap.
        let number: Int
        let trip: Double
        let bytes: Int
        let stamp: Double?
    }

    private struct Sums {
        let sent: Int
        let received: Int?
        let duration: Double?
        let location: String
    }

    let target: String?
    let isWindows: Bool
    let isFping: Bool
    /// The number of the first request, from the log's header; nil without a header: the log may be incomplete.
    private let start: Int?
    private var answers: [Answer] = []
    private var refused: Set<Int> = []
    private var seen: Set<Int> = []
    private var duplicates = 0
    private var isReordered = false
    /// The first and the last sequence number in the log.
    private var first: Int?
    private var last: Int?
    private var sums: Sums?
    /// Whether fping's summary line with all requests was read.
    private(set) var isSummed = false
    /// Whether the next lines are results of requests, which Windows' ping ends with an empty line.
    private var isListing = false

    /// The maximum number of missing packets across a wrap of the 16-bit sequence number.
    private static let maximumLostAtWrap = 0x1000

    init(target: String?, isWindows: Bool = false, isFping: Bool = false, start: Int? = nil) {
        (self.target, self.isWindows, self.isFping, self.start) = (target, isWindows, isFping, start)
    }

    var isEmpty: Bool { first == nil && (sums?.sent ?? 0) == 0 }

    // MARK: Lines

    /// Whether a line starts a new run: its sequence number falls back further than reordering explains.
    func startsNewRun(_ line: PingLine) -> Bool {
        switch line.content {
        case .answer(let number, let answer):
            let number = counted(number)
            let fall = (last ?? number) - number
            // An answer to an earlier request must be late: it took at least 10 ms for each request sent since.
            return seen.contains(number) && !answer.isDuplicate || fall > 3 && answer.trip < 0.01 * Double(fall)
        case .unanswered(let number, _): return (last ?? number) - counted(number) > 50
        case .statistics: return sums != nil
        default: return false
        }
    }

    mutating func add(_ line: PingLine, at location: String) throws(ImportError) {
        switch line.content {
        case .header: isListing = isWindows
        case .answer(let number, let answer): try add(counted(number), answer, line.stamp, at: location)
        case .unnumberedAnswer(_, let answer):
            isListing = true
            try add((last ?? 0) + 1, answer, line.stamp, at: location)
        case .unanswered(let number, let isRefused): try note(counted(number), isRefused: isRefused, at: location)
        case .fping(_, let number, let answer):
            if let answer { try add(number, answer, line.stamp, at: location) } else { try note(number, at: location) }
        case .fpingSummary(_, let trips):
            isSummed = true
            let received = trips.count { $0 != nil }
            guard first == nil else {
                sums = Sums(sent: trips.count, received: received, duration: nil, location: location)
                return
            }
            for (number, trip) in trips.enumerated() {
                guard let trip else {
                    try note(number, at: location)
                    continue
                }
                try add(number, PingLine.Answer(trip: trip, bytes: 64), nil, at: location)
            }
        case .statistics(_, let sent, let received, let duration):
            sums = Sums(sent: sent, received: received, duration: duration, location: location)
        }
    }

    /// Reads a line without figures: Windows' ping prints one for each request without an answer.
    mutating func addUnread(_ text: Substring, at location: String) throws(ImportError) {
        guard isWindows else { return }
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !line.isEmpty else { return isListing = isListing && first == nil }
        let words = line.lowercased()
        if Self.silences.contains(where: words.contains) {
            isListing = true
            try note((last ?? 0) + 1, at: location)
        } else if Self.refusals.contains(where: words.contains) {
            isListing = true
            try note((last ?? 0) + 1, isRefused: true, at: location)
        } else if isListing {
            throw .invalid(
                location: location,
                reason: "\(JSON.quoted(String(line.prefix(80)))) is neither an answer nor known to be a loss; "
                    + "\"chcp 437\" makes Windows' ping print English"
            )
        }
    }

    /// The texts of Windows' ping for a lost packet, in common languages.
    private static let silences = [
        "request timed out", "zeitüberschreitung der anforderung", "délai d'attente de la demande dépassé",
        "délai d’attente de la demande dépassé", "tiempo de espera agotado", "richiesta scaduta",
        "esgotado o tempo limite",
    ]
    /// The texts of Windows' ping for a refusal by a router or by the local host.
    private static let refusals = [
        "unreachable", "nicht erreichbar", "ttl expired", "general failure", "transmit failed", "could not find host",
    ]

    private mutating func add(
        _ number: Int,
        _ answer: PingLine.Answer,
        _ stamp: Double?,
        at location: String
    ) throws(ImportError) {
        guard !answer.isDuplicate, seen.insert(number).inserted else { return duplicates += 1 }
        if let last, number < last { isReordered = true }
        let overhead = target?.contains(":") ?? false ? 54 : 34
        answers.append(Answer(number: number, trip: answer.trip, bytes: answer.bytes + overhead, stamp: stamp))
        try note(number, at: location)
    }

    /// Records that a request was sent, and whether it was refused.
    private mutating func note(_ number: Int, isRefused: Bool = false, at location: String) throws(ImportError) {
        if isRefused { refused.insert(number) }
        first = min(first ?? number, number)
        last = max(last ?? number, number)
        guard sent <= PingLog.maximumProbes else {
            throw .invalid(location: location, reason: "more than \(PingLog.maximumProbes) packets would be missing")
        }
    }

    /// Converts a 16-bit sequence number to one that continues past wraps, relative to the latest number.
    private func counted(_ number: Int) -> Int {
        guard let last, !isFping else { return number }
        let here = last & ~0xFFFF + number
        let (next, before) = (here + 0x1_0000, here - 0x1_0000)
        if here < last - 0x8000, next - last < Self.maximumLostAtWrap { return next }
        if before >= 0, here > last + 0x8000, last - before < Self.maximumLostAtWrap { return before }
        return here
    }

    // MARK: Sums

    /// The number of the first request that counts. Without a header, the log may lack its start: the first number
    /// seen.
    private var origin: Int {
        guard let start else { return first ?? 1 }
        return min(start, first ?? start)
    }

    /// The number of requests sent, as far as the log shows.
    var sent: Int {
        // Requests are numbered from 1, or from 0 by fping and where the log shows a 0.
        let counted = sums.map { (isFping || start == 0 || first == 0 ? 0 : 1) + $0.sent - origin } ?? 0
        return max(counted, first == nil ? 0 : (last ?? 0) - origin + 1)
    }

    /// Throws if the totals in the log do not agree with the answers read: unreadable answers must not count as lost
    /// packets.
    func checkSums() throws(ImportError) {
        guard let sums, let received = sums.received else { return }
        // Answers that may be missing: those before an incomplete log's first line, and refusals, which Windows counts
        // as answers.
        let others = isWindows ? refused.count : start == nil && !isFping ? origin : 0
        guard !(answers.count...answers.count + others ~= received) else { return }
        throw .invalid(
            location: sums.location,
            reason:
                "the log says that \(received) answers came, and has \(answers.count): lines are missing or not understood"
        )
    }

    // MARK: Samples

    /// Appends the run's probes to `samples`, from the time `start` on, with remarks on what was left out.
    func append(to samples: inout LinkSamples, start: Double) {
        let interval = sums?.duration.flatMap { sent > 1 ? $0 / Double(sent - 1) : nil } ?? stampedInterval ?? 1
        let bytes = answers.first?.bytes ?? 98
        var probes = (0..<sent).map { ProbeSample(time: start + Double($0) * interval, trip: nil, bytes: bytes) }
        let zero = answers.first.flatMap { answer in
            answer.stamp.map { $0 - answer.trip - Double(answer.number - origin) * interval }
        }
        for answer in answers {
            let time = answer.stamp.flatMap { stamp in zero.map { start + stamp - answer.trip - $0 } }
            probes[answer.number - origin] = ProbeSample(
                time: time ?? probes[answer.number - origin].time,
                trip: answer.trip,
                bytes: answer.bytes
            )
        }
        // Ping does not wait for the last answers when it is interrupted.
        let longest = answers.map(\.trip).max() ?? 0
        let tail = probes.reversed().prefix { $0.trip == nil }.count
        if tail > 0, tail < sent, Double(tail - 1) * interval < longest, tail < 10 {
            probes.removeLast(tail)
            let words = tail == 1 ? "the last request is" : "the last \(tail) requests are"
            samples.remark("\(words) not counted: the answers may have been on their way when ping ended")
        }
        let isAnswered = Set(answers.map(\.number))
        let refusals = refused.subtracting(isAnswered).map { $0 - origin }.filter(probes.indices.contains)
        if !refusals.isEmpty {
            for index in refusals.sorted(by: >) { probes.remove(at: index) }
            let words = "refused by a router: left out, since no link lost them"
            samples.remark("\(LinkProfiles.counted(refusals.count, "request")) \(words)")
        }
        remarkStart(of: probes, &samples)
        if duplicates > 0 {
            samples.remark("\(duplicates) duplicates are left out: add \"duplicate\" to the profile")
        }
        if isWindows { samples.remark("Windows' ping prints whole milliseconds: a shorter jitter cannot be told") }
        samples.isReordered = samples.isReordered || isReordered
        samples.probes += probes
    }

    /// Adds remarks on the requests before the first answer: whether they count as lost.
    private func remarkStart(of probes: [ProbeSample], _ samples: inout LinkSamples) {
        if start == nil, origin > (isFping ? 0 : 1) {
            samples.remark(
                "the log begins with number \(origin) and has no header: what was sent before is not counted"
            )
        }
        let lost = probes.prefix { $0.trip == nil }.count
        if lost > 0, lost < probes.count {
            let words = lost == 1 ? "the first request counts" : "the first \(lost) requests count"
            samples.remark("\(words) as lost: the first answer is to a later one")
        }
    }

    private var stampedInterval: Double? {
        guard let start = answers.first, let end = answers.last, end.number > start.number,
            let from = start.stamp, let to = end.stamp, to > from
        else { return nil }
        return (to - end.trip - from + start.trip) / Double(end.number - start.number)
    }
}
