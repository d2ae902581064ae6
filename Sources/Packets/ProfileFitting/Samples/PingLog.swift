// SPDX-License-Identifier: Apache-2.0

package import ProfileFormats

/// Reads the output of ping (iputils, BSD, BusyBox, Go and Windows; with or without -D and -O), or of fping with -l, -c
/// or -C.
package enum PingLog {
    /// The maximum number of probes in a log; a log with more has a wrong number in it.
    static let maximumProbes = 1_000_000

    /// Whether one of the first 50 lines of a text is a line of a ping log, or resembles one.
    package static func isRecognized(_ text: String) -> Bool {
        lines(of: text).prefix(50).contains { text in
            do throws(ImportError) {
                switch try PingLine(text, at: "")?.content {
                case nil, .statistics: return false
                default: return true
                }
            } catch {
                return true
            }
        }
    }

    /// Reads a log.
    ///
    /// - Parameter name: the target whose round trips to use, if the log has several targets.
    package static func read(_ text: String, name: String? = nil) throws(ImportError) -> LinkSamples {
        var runs: [PingRun] = []
        // The index of each fping target's latest run: fping probes several targets in turn.
        var latest: [String: Int] = [:]
        var isCut = false
        let lines = lines(of: text)
        for (index, text) in lines.enumerated() {
            let location = "line \(index + 1)"
            let line: PingLine?
            do throws(ImportError) {
                line = try PingLine(text, at: location)
            } catch {
                // The last line may be cut: the log is still being written, or was copied in part.
                guard index > 0, index == lines.count - 1, PingLine.isCut(text) else { throw error }
                isCut = true
                break
            }
            if let line {
                try add(line, to: &runs, &latest, at: location)
            } else if let last = runs.indices.last {
                try runs[last].addUnread(text, at: location)
            }
        }
        runs.removeAll(where: \.isEmpty)
        guard !runs.isEmpty else { throw .invalid(location: "", reason: "no answer of ping is in it") }
        for run in runs { try run.checkSums() }
        var seen: Set<String> = []
        let names = runs.map { $0.target ?? "" }.filter { seen.insert($0).inserted }
        let chosen = name.flatMap { name in names.first { $0 == name } }
        guard names.count == 1 || chosen != nil else { throw .several(names) }
        var samples = try samples(of: runs.filter { $0.target ?? "" == chosen ?? names[0] })
        if isCut { samples.remark("the last line is cut, and not used") }
        return samples
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    /// Adds a line to the run that it belongs to, or starts a new run with it.
    ///
    /// - Parameter latest: the index of the latest run of each fping target.
    private static func add(
        _ line: PingLine,
        to runs: inout [PingRun],
        _ latest: inout [String: Int],
        at location: String
    ) throws(ImportError) {
        let last = runs.indices.last
        var index: Int?
        var fresh = PingRun(target: nil)
        switch line.content {
        case .header(let target, let first): fresh = PingRun(target: target, isWindows: first == nil, start: first ?? 1)
        case .unnumberedAnswer(let target, _):
            fresh = PingRun(target: target, isWindows: true, start: 1)
            index = last.flatMap { runs[$0].isWindows && runs[$0].target == target ? $0 : nil }
        case .fping(let target, _, _), .statistics(let target?, _, _, _):
            fresh = PingRun(target: target, isFping: true)
            index = latest[target]
        case .fpingSummary(let target, _):
            fresh = PingRun(target: target, isFping: true)
            // The summary belongs to the run whose requests -l has printed before.
            index = latest[target].flatMap { runs[$0].isSummed ? nil : $0 }
        case .answer, .unanswered, .statistics(nil, _, _, _): index = last
        }
        if let known = index, runs[known].startsNewRun(line) {
            fresh = PingRun(target: runs[known].target, isFping: runs[known].isFping)
            index = nil
        }
        if index == nil {
            if fresh.isFping, let target = fresh.target { latest[target] = runs.count }
            runs.append(fresh)
        }
        try runs[index ?? runs.count - 1].add(line, at: location)
    }

    private static func samples(of runs: [PingRun]) throws(ImportError) -> LinkSamples {
        var samples = LinkSamples()
        samples.peer = runs[0].target
        var start = 0.0
        for run in runs {
            guard samples.probes.count + run.sent <= maximumProbes else {
                throw .invalid(location: "", reason: "it tells of more than \(maximumProbes) packets")
            }
            run.append(to: &samples, start: start)
            start = (samples.probes.last?.time ?? 0) + 1
        }
        return samples
    }
}
