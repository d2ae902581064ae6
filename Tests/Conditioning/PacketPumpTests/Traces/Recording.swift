// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles

/// A recorded rate, read by a parser of the two formats that is independent of the pipeline's.
struct Recording {
    let text: String
    let format: TraceReference.Format
    /// Numbers of each line.
    private let lines: [[Double]]

    init(_ text: String, _ format: TraceReference.Format) {
        self.text = text
        self.format = format
        lines = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
    }

    /// Some seconds from the middle of a recording of delivery opportunities, around its longest pause.
    func aboutItsLongestPause(seconds: Int) -> Recording {
        let stamps = lines.map { Int($0[0]) }
        let pauses = zip(stamps, stamps.dropFirst()).map { (length: $1 - $0, end: $1) }
        let middle = pauses.max { $0.length < $1.length }.map { $0.end - $0.length / 2 } ?? 0
        let start = max(min(middle - seconds * 500, length - seconds * 1000), 0)
        let piece = stamps.filter { $0 > start && $0 <= start + seconds * 1000 }.map { "\($0 - start)\n" }
        return Recording(piece.joined(), format)
    }

    /// Milliseconds until it repeats.
    var length: Int { Int(((lines.last?[0] ?? 0) * (format == .mahimahi ? 1 : 1000)).rounded()) }

    /// The header bytes that count with an IP packet: 4 for mahimahi's device, 14 for any other link.
    var header: Int { format == .mahimahi ? 4 : 14 }

    /// Bytes that it allows in each second from its start, over and over.
    func allowed(seconds: Int) -> [Double] {
        var result = [Double](repeating: 0, count: seconds)
        for start in stride(from: 0, to: seconds * 1000, by: max(length, 1)) {
            switch format {
            case .mahimahi:
                for line in lines where (start + Int(line[0])) / 1000 < seconds {
                    result[(start + Int(line[0])) / 1000] += 1504
                }
            case .secondsMbit:
                for (line, next) in zip(lines, lines.dropFirst()) {
                    // 1 Mbit/s is 125 bytes in a millisecond.
                    for time in start + Int((line[0] * 1000).rounded())..<start + Int((next[0] * 1000).rounded())
                    where time / 1000 < seconds { result[time / 1000] += line[1] * 125 }
                }
            }
        }
        return result
    }

    /// A lane with this rate, and a buffer that never fills.
    var conditions: LaneConditions {
        get throws {
            let reference = TraceReference(file: "recording", format: format)
            var impairments = Impairments()
            impairments.trace = reference
            impairments.queue = .packets(1_000_000)
            return LaneConditions(impairments, traces: [reference: try Trace(text, format: format)])
        }
    }
}
