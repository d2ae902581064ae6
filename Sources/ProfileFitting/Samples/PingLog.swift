// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import ProfileFormats

/// Reads what ping prints (iputils, BSD, BusyBox; with or without -D and -O), or fping with -l or -c.
package enum PingLog {
    /// More probes are no log of ping: a number in it is wrong.
    static let mostProbes = 1_000_000

    /// Whether a text has answers to ping.
    package static func isRecognized(_ text: String) -> Bool {
        lines(of: text).prefix(50).contains { Line($0).map { $0.sequence != nil || $0.target != nil } ?? false }
    }

    /// Reads a log.
    ///
    /// - Parameter name: the target whose round trips are asked for, if the log has several.
    package static func read(_ text: String, name: String? = nil) throws(ImportError) -> LinkSamples {
        var runs: [PingRun] = []
        for (index, text) in lines(of: text).enumerated() {
            guard let line = Line(text) else { continue }
            if line.isUnreadable {
                throw .invalid(place: "line \(index + 1)", reason: "an answer whose figures cannot be read")
            }
            if line.target != nil, line.sequence == nil || runs.isEmpty {
                runs.append(PingRun(target: line.target))
            } else if runs.isEmpty {
                runs.append(PingRun(target: nil))
            }
            // fping asks several targets in turn.
            let own = line.isFping ? runs.lastIndex { $0.target == line.target } : runs.indices.last
            if own == nil { runs.append(PingRun(target: line.target)) }
            guard runs[own ?? runs.count - 1].add(line) else {
                throw .invalid(place: "line \(index + 1)", reason: "more than \(mostProbes) packets would be missing")
            }
        }
        runs.removeAll { $0.isEmpty }
        guard !runs.isEmpty else { throw .invalid(place: "", reason: "no answer of ping is in it") }
        let names = runs.map { $0.target ?? "" }.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let chosen = name.flatMap { name in names.first { $0 == name } }
        guard names.count == 1 || chosen != nil else { throw .several(names) }
        return try samples(of: runs.filter { $0.target ?? "" == chosen ?? names[0] })
    }

    private static func lines(of text: String) -> some Sequence<Substring> {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    private static func samples(of runs: [PingRun]) throws(ImportError) -> LinkSamples {
        var samples = LinkSamples()
        samples.peer = runs[0].target
        var start = 0.0
        for run in runs {
            guard samples.probes.count + run.sent <= mostProbes else {
                throw .invalid(place: "", reason: "it tells of more than \(mostProbes) packets")
            }
            run.append(to: &samples, start: start)
            start = (samples.probes.last?.time ?? 0) + 1
        }
        return samples
    }

    /// A line that says something.
    struct Line {
        /// The target, in the line that begins a log, and in all of fping.
        var target: String?
        var sequence: Int?
        /// In seconds.
        var trip: Double?
        /// Of the ICMP message.
        var bytes: Int?
        /// When the answer came, with -D.
        var stamp: Double?
        var isDuplicate = false
        var isRefusal = false
        var isFping = false
        var isUnreadable = false
        /// From the statistics: packets sent, and the time of all in seconds.
        var transmitted: Int?
        var duration: Double?

        init?(_ text: Substring) {
            var words = text.split { $0 == " " || $0 == "\t" || $0 == "," || $0 == "\r" }
            if let first = words.first, first.hasPrefix("["), let stamp = Double(first.dropFirst().prefix { $0 != "]" })
            {
                self.stamp = stamp
                words.removeFirst()
            }
            guard let first = words.first, words.count >= 2 else { return nil }
            if first == "PING" {
                target = String(words[1].prefix { $0 != "(" })
                return
            }
            if words.count >= 4, words[1] == "packets", words[2] == "transmitted", let count = Int(first) {
                transmitted = count
                let last = words[words.count - 1]
                if words[words.count - 2] == "time", last.hasSuffix("ms") { duration = Double(last.dropLast(2)) }
                duration = duration.map { $0 / 1000 }
                return
            }
            if words.count >= 5, words[1] == ":", words[2].hasPrefix("["), words[2].hasSuffix("]") {
                readFping(words)
                return
            }
            guard let word = words.first(where: { $0.hasPrefix("icmp_seq=") || $0.hasPrefix("seq=") }) else {
                return nil
            }
            sequence = Int(word.drop { $0 != "=" }.dropFirst())
            if let unit = words.firstIndex(of: "ms"), unit > 0 {
                let figure = words[unit - 1]
                trip = figure.firstIndex { $0 == "=" || $0 == "<" }.flatMap { Double(figure[$0...].dropFirst()) }
                bytes = Int(first)
                isDuplicate = words.last?.hasPrefix("(DUP") ?? false
                let isTrip = trip.map { (0...3600).contains($0 / 1000) } ?? false
                isUnreadable = sequence == nil || !Self.isLength(bytes) || !isTrip
            } else {
                isRefusal = first == "From" || first == "from"
                isUnreadable = isRefusal && sequence == nil
            }
            if let sequence, !(0...Int(UInt16.max)).contains(sequence) { isUnreadable = true }
            trip = trip.map { $0 / 1000 }
        }

        /// Whether a packet can have so many bytes.
        private static func isLength(_ bytes: Int?) -> Bool { bytes.map { 0...0xFFFF ~= $0 } ?? false }

        /// "192.0.2.1 : [0], 64 bytes, 0.123 ms (0.123 avg, 0% loss)", or "timed out".
        private mutating func readFping(_ words: [Substring]) {
            isFping = true
            target = String(words[0])
            sequence = Int(words[2].dropFirst().dropLast())
            if words.count >= 7, words[4] == "bytes", words[6] == "ms" {
                (bytes, trip) = (Int(words[3]), Double(words[5]).map { $0 / 1000 })
                isUnreadable = !Self.isLength(bytes) || trip.map { !(0...3600).contains($0) } ?? true
            }
            isUnreadable = isUnreadable || sequence.map { !(0..<PingLog.mostProbes).contains($0) } ?? true
        }
    }
}
