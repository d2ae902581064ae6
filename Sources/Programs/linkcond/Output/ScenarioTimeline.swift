// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog

/// A scenario as text, with a vertical time axis and each step beside its time.
///
/// Times count from the start as long as they are known. The time of a step that waits for another event is called t1,
/// t2 and so on, and later steps count from it.
struct ScenarioTimeline {
    private let loaded: LoadedScenario
    private let moments: [String]
    private let timeWidth: Int

    private static let width = 80

    init(_ loaded: LoadedScenario) {
        self.loaded = loaded
        // The time since the start, or since the last step whose time is unknown.
        var (time, unknown) = (Duration.zero, 0)
        let later = loaded.scenario.steps.map { step in
            if case .time(let wait) = step.after { time += wait } else { (time, unknown) = (.zero, unknown + 1) }
            guard unknown > 0 else { return time.text }
            return time == .zero ? "t\(unknown)" : "t\(unknown) + \(time.text)"
        }
        moments = ["0 s"] + later
        timeWidth = moments.map(\.count).max() ?? 0
    }

    var lines: [OutputLine] {
        let scenario = loaded.scenario
        var lines = [OutputLine(heading: scenario.name)]
        if let summary = scenario.summary { lines += fact(nil, summary) }
        lines.append("")
        lines += moment(0, start.title, start.figures, isLast: scenario.steps.isEmpty)
        for (index, step) in scenario.steps.enumerated() {
            lines += wait(index)
            let isLast = index == scenario.steps.count - 1
            let profile = loaded.steps[index]
            let drop = step.queued == .dropped ? ["drops the packets that the link holds"] : []
            let figures = step.changes.words + profile.profile.timelineFigures + drop
            let place = step.path.map { " on \($0)" } ?? ""
            lines += moment(index + 1, "\(step.label): \(profile.label)\(place)", figures, isLast: isLast)
        }
        lines.append("")
        if scenario.repeat > 1, let first = scenario.steps.first, let last = scenario.steps.last {
            let text =
                "the steps run \(scenario.repeat) times; "
                + "'\(first.label)' follows '\(last.label)' after \(first.after.condition)"
            lines += fact("repeat", text)
        }
        for (index, expectation) in scenario.expect.enumerated() {
            lines += fact(index == 0 ? "expect" : "", expectation.text)
        }
        lines += fact("from", "\(loaded.origin)")
        return lines
    }

    /// The title and figures of the conditions at the start; of each path if there are several.
    private var start: (title: String, figures: [String]) {
        guard !loaded.paths.isEmpty else { return (loaded.first.label, loaded.first.profile.timelineFigures) }
        let isBare = loaded.first.profile.lanes.isEmpty
        let loopback = isBare ? [] : [(Scenario.Path(name: "lo", profile: loaded.scenario.profile), loaded.first)]
        let paths = loopback + zip(loaded.scenario.paths, loaded.paths)
        let title = paths.map { path, profile in "\(profile.label) on \(path.name)" }.joined(separator: ", ")
        return (title, paths.flatMap { path, loaded in loaded.profile.timelineFigures.map { "\(path.name): \($0)" } })
    }

    private func moment(_ index: Int, _ title: String, _ facts: [String], isLast: Bool) -> [OutputLine] {
        let time = moments[index]
        let margin = String(repeating: " ", count: timeWidth - time.count)
        let titles = WrappedText.lines(of: title.escapingControls(), width: textWidth)
        var lines = [OutputLine("  \(margin)\(time)  \u{25CF}  \(titles.first ?? "")")]
        for line in titles.dropFirst() { lines.append(beside("\u{2502}", line)) }
        let figures =
            facts.flatMap { WrappedText.lines(of: $0.escapingControls(), width: textWidth - 2, keepsClauses: true) }
        for figure in figures { lines.append(beside("\u{2502}", "  \(figure)")) }
        if isLast { lines.append(beside("\u{25BC}", "")) }
        return lines
    }

    private func wait(_ index: Int) -> [OutputLine] {
        let trigger = loaded.scenario.steps[index].after
        if case .time(let time) = trigger {
            let rows = rows(for: time)
            return (0..<rows).map { beside("\u{2502}", $0 == rows / 2 ? time.text : "") }
        }
        let name = moments[index + 1]
        let text = WrappedText.lines(of: "\(name): \(trigger.condition)", width: textWidth)
        return [beside("\u{250A}", "")] + text.map { beside("\u{250A}", $0) } + [beside("\u{250A}", "")]
    }

    /// The length of a time on the axis, in lines: proportional, from 1 to 5.
    private func rows(for time: Duration) -> Int {
        let times = loaded.scenario.steps.compactMap { step in
            if case .time(let time) = step.after { time } else { nil }
        }
        guard let longest = times.max(), longest > .zero else { return 1 }
        return 1 + Int((time / longest * 4).rounded())
    }

    private var textWidth: Int { Self.width - timeWidth - 7 }

    private func beside(_ axis: String, _ text: String) -> OutputLine {
        let line = "  \(String(repeating: " ", count: timeWidth))  \(axis)"
        return OutputLine(text.isEmpty ? line : "\(line)  \(text)")
    }

    /// A line with a name, in the format in which `show` prints a profile.
    private func fact(_ name: String?, _ text: String) -> [OutputLine] {
        let indent = name == nil ? 2 : 12
        let lines = WrappedText.lines(of: text.escapingControls(), width: Self.width - indent)
        return lines.enumerated().map { number, line in
            let start = "  " + (number == 0 ? name ?? "" : "")
            return OutputLine(start + String(repeating: " ", count: indent - start.count) + line)
        }
    }
}

extension Trigger {
    /// The event for which a step waits, as text.
    var condition: String {
        switch self {
        case .time(let time): time.text
        case .bytes(let count): "\(count) carried"
        case .connections(let count): "\(counted(count, "connection")) opened"
        case .mark(let name): "mark '\(name)'"
        }
    }
}

extension Profile {
    /// The figures as text; one line per direction if the directions differ.
    var timelineFigures: [String] {
        let overview = ProfileOverview(self)
        var lines: [String]
        if overview.downlink == overview.uplink {
            lines = [overview.downlink == "-" ? "no impairments" : "\(overview.downlink), both ways"]
        } else {
            lines = [("downlink", overview.downlink), ("uplink", overview.uplink)].map { name, words in
                "\(name) \(words == "-" ? "untouched" : words)"
            }
        }
        if let dns { lines.append("\(dns.delay.text) more for packets to port 53") }
        lines += faults.enumerated().map { "fault \($0 + 1): \($1.words)" }
        return lines + networkWords
    }
}
