// SPDX-License-Identifier: Apache-2.0

/// The answers of one run of ping.
struct PingRun {
    private struct Answer {
        /// Counted on where the 16 bits of the number begin anew.
        let sequence: Int
        let trip: Double
        let bytes: Int
        let stamp: Double?
    }

    let target: String?
    private var answers: [Answer] = []
    private var refused: Set<Int> = []
    private var seen: Set<Int> = []
    private var duplicates = 0
    private var isReordered = false
    /// The first and the last sequence number that are known to be sent.
    private var first: Int?
    private var last = 0
    private var transmitted: Int?
    private var duration: Double?
    private var isFping = false

    init(target: String?) { self.target = target }

    var isEmpty: Bool { first == nil && (transmitted ?? 0) == 0 }

    /// Adds a line; false if far too many packets would be missing.
    mutating func add(_ line: PingLog.Line) -> Bool {
        if let count = line.transmitted {
            guard 0...PingLog.mostProbes ~= count else { return false }
            (transmitted, duration) = (count, line.duration)
        }
        guard var sequence = line.sequence else { return true }
        isFping = line.isFping
        if !isFping {
            sequence += last & ~0xFFFF
            if sequence < last - 0x8000 { sequence += 0x1_0000 }
            if sequence > last + 0x8000, sequence >= 0x1_0000 { sequence -= 0x1_0000 }
        }
        // ping counts from 1, BSD's and fping from 0.
        first = min(first ?? sequence, sequence, 1)
        guard sequence - (first ?? 0) < PingLog.mostProbes else { return false }
        if line.isRefusal { refused.insert(sequence) }
        if let trip = line.trip {
            guard !line.isDuplicate, seen.insert(sequence).inserted else {
                duplicates += 1
                return true
            }
            if sequence < last { isReordered = true }
            let overhead = target?.contains(":") ?? false ? 54 : 34
            answers.append(
                Answer(sequence: sequence, trip: trip, bytes: (line.bytes ?? 64) + overhead, stamp: line.stamp)
            )
        }
        last = max(last, sequence)
        return true
    }

    /// How many packets it sent, as far as the log tells.
    var sent: Int { max(transmitted ?? 0, first.map { last - $0 + 1 } ?? 0) }

    /// Appends its probes.
    func append(to samples: inout LinkSamples, start: Double) {
        let first = first ?? 1
        let interval = duration.flatMap { sent > 1 ? $0 / Double(sent - 1) : nil } ?? stampedInterval ?? 1
        let bytes = answers.first?.bytes ?? 98
        var probes = (0..<sent).map { Probe(time: start + Double($0) * interval, trip: nil, bytes: bytes) }
        let origin = answers.first.flatMap { answer in
            answer.stamp.map { $0 - answer.trip - Double(answer.sequence - first) * interval }
        }
        for answer in answers {
            let time = answer.stamp.flatMap { stamp in origin.map { start + stamp - answer.trip - $0 } }
            probes[answer.sequence - first] = Probe(
                time: time ?? probes[answer.sequence - first].time,
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
            samples.remarks.append("\(words) not counted: the answers may have been on their way when ping ended")
        }
        let isAnswered = Set(answers.map(\.sequence))
        let refusals = refused.subtracting(isAnswered).map { $0 - first }.filter(probes.indices.contains)
        if !refusals.isEmpty {
            for index in refusals.sorted(by: >) { probes.remove(at: index) }
            samples.remarks.append("\(refusals.count) requests that a router refused are left out: no link lost them")
        }
        if duplicates > 0 {
            samples.remarks.append("\(duplicates) duplicates are left out: add \"duplicate\" to the profile")
        }
        samples.isReordered = samples.isReordered || isReordered
        samples.probes += probes
    }

    private var stampedInterval: Double? {
        guard let start = answers.first, let end = answers.last, end.sequence > start.sequence,
            let from = start.stamp, let to = end.stamp, to > from
        else { return nil }
        return (to - end.trip - from + start.trip) / Double(end.sequence - start.sequence)
    }
}
