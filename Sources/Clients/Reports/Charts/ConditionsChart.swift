// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkProfiles

/// The rows for the clock, the conditions, the marks, the monitor and waiting processes.
struct ConditionsChart {
    let timeline: RunTimeline
    let time: TimeScale

    /// A note for a row that draws only the first `limit` of `count` items.
    private func omission(of count: Int, limit: Int = RunTimeline.listLimit) -> [String] {
        count > limit ? ["the first \(limit) of \(count) are drawn"] : []
    }

    /// The rows, the clock first.
    var rows: [TimelineRow] {
        [clock, conditions, marks].compactMap { $0 } + monitor
            + [WaitingChart(timeline, time).row].compactMap { $0 }
    }

    /// A row for each target of a monitor.
    private var monitor: [TimelineRow] {
        var known: Set<String> = []
        let targets = timeline.bands.map(\.verdict.target).filter { known.insert($0).inserted }
        let shown = targets.prefix(20)
        let limit = RunTimeline.listLimit / max(shown.count, 1)
        return shown.map { target in
            var plot = Plot(time, height: 20)
            let bands = timeline.bands.filter { $0.verdict.target == target }
            for band in bands.prefix(limit) {
                let kind = band.verdict.isReachable ? "up" : "down"
                plot.bar(kind, band.begin, band.end, top: 2, height: 16, title: band.title)
                plot.words(band.verdict.status, band.begin, to: band.end, base: 14)
            }
            let label = bands.prefix(limit).map(\.title).joined(separator: "; ")
            let facts = omission(of: bands.count, limit: limit)
            return plot.row("Monitor: \(target)", facts, label: "Monitor of \(target): \(label)")
        }
    }

    private var clock: TimelineRow {
        var plot = Plot(time, height: 18)
        for tick in time.ticks(6) where time.percent(tick) < 97 {
            plot.sign(tick == .zero ? "tick first" : "tick", tick.words, tick, base: 13)
        }
        var row = plot.row("Time", label: "Time since the command was started")
        row.kind = "clock"
        return row
    }

    private var conditions: TimelineRow {
        var plot = Plot(time, height: 22)
        let periods = timeline.periods.prefix(RunTimeline.listLimit)
        for (index, period) in periods.enumerated() where period.end > period.begin {
            let kind = index.isMultiple(of: 2) ? "period" : "period other"
            plot.bar(kind, period.begin, period.end, top: 1, height: 20, title: period.title)
            plot.words(period.name.shortened(to: 100), period.begin, to: period.end, base: 15)
        }
        let label = periods.map(\.title).joined(separator: "; ")
        return plot.row("Conditions", omission(of: timeline.periods.count), label: "Conditions: \(label)")
    }

    private var marks: TimelineRow? {
        guard !timeline.marks.isEmpty else { return nil }
        var plot = Plot(time, height: 20)
        let marks = timeline.marks.prefix(RunTimeline.listLimit)
        for (index, mark) in marks.enumerated() {
            let next = index + 1 < timeline.marks.count ? timeline.marks[index + 1].time : time.end
            let title = "\(mark.name.shortened(to: 200)): \(mark.time.words)"
            plot.tick("mark", mark.time, top: 0, height: 20, title: title)
            plot.words(mark.name.shortened(to: 100), mark.time, to: max(next, mark.time), base: 14)
        }
        let label = marks.map { "\($0.name) at \($0.time.words)" }.joined(separator: "; ")
        return plot.row("Marks", omission(of: timeline.marks.count), label: "Marks: \(label)")
    }
}

extension RunTimeline.Band {
    /// The verdict, with its period.
    fileprivate var title: String {
        let reason = verdict.reason.map { " (\($0.shortened(to: 200)))" } ?? ""
        return "\(verdict.status)\(reason) from \(begin.words) to \(end.words)"
    }
}

extension RunTimeline.Period {
    /// A short name for the conditions.
    var name: String { label ?? profile ?? "no conditions" }

    /// The conditions, with their period.
    var title: String {
        let conditions = ([profile ?? "no conditions"] + changes).joined(separator: ", ")
        let words = label.map { "\($0) (\(conditions))" } ?? name
        return "\(words.shortened(to: 200)) from \(begin.words) to \(end.words)"
    }
}
