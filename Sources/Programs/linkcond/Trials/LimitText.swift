// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Reports
import Statistics
import Trials

/// The result of a search for a limit, as text and as JSON.
extension LimitSearch {
    var sentence: String {
        let name = "\(range)"
        let effort = "\(counted(attempts.count, "run")) in \(duration.words)"
        let unanswered = attempts.count { $0.survived == nil }
        let doubt = unanswered > 0 ? ", \(unanswered) of them without an answer" : ""
        let known: String
        if search.survivesEverything {
            known = "survives \(name) of \(value(at: 100)), the harshest asked for"
        } else if search.survivesNothing {
            known = "does not survive \(name) of \(value(at: 0)), the mildest asked for"
        } else if !attempts.contains(where: { $0.survived == false }) {
            let measured = harshest.map { "survived \(name) of \($0), the harshest that was tried" }
            known = "\(measured ?? "no run has an answer"); the limit is not known yet"
        } else {
            let measured = harshest.map { "survived \(name) of \($0)" } ?? "half of the runs survived no \(name)"
            known = "\(measured); estimated limit: \(value(at: search.estimate)) (\(interval))"
        }
        let reason =
            switch stop {
            case .found: ""
            case .outOfTime: "; the time was up, a longer --budget narrows the interval"
            case .inconclusive: "; most runs have no answer, since the machine is too busy"
            }
        return "\(known); \(effort)\(doubt)\(reason)"
    }

    /// The harshest value at which half of the runs or more survived; nil if there is none.
    private var harshest: String? {
        let answered = Dictionary(grouping: attempts.filter { $0.survived != nil }, by: \.position)
        let survived = answered.filter { _, runs in runs.count { $0.survived == true } * 2 >= runs.count }
        return survived.keys.max().map { value(at: $0) }
    }

    var interval: String {
        let bounds =
            switch (search.lower, search.upper) {
            case (let lower?, let upper?): "\(value(at: lower)) to \(value(at: upper))"
            case (let lower?, nil): "\(value(at: lower)) or harsher"
            case (nil, let upper?): "\(value(at: upper)) or milder"
            case (nil, nil): "not known yet"
            }
        return "95 % interval: \(bounds)"
    }

    /// The share of runs that survived at each value tried, with its confidence interval.
    var picture: [OutputLine] {
        let width = 41
        let axis = "0 %" + String(repeating: " ", count: (width - 10) / 2) + "50 %"
        var table = Table(header: ["\(range)", "SURVIVED", axis])
        for point in search.points(of: range) {
            let interval = WilsonInterval(point.survived, of: point.runs)
            guard let share = interval.share else { continue }
            var bar = [Character](repeating: " ", count: width)
            let column = { (share: Double) in Int((share * Double(width - 1)).rounded()) }
            bar[column(0.5)] = "·"
            for index in column(interval.range.lowerBound)...column(interval.range.upperBound) { bar[index] = "─" }
            bar[column(share)] = "●"
            table.add([point.value, "\(point.survived) of \(point.runs)", String(bar)])
        }
        return table.lines(indent: 2)
    }

    var json: JSON {
        let outcome =
            search.survivesEverything ? "survives everything" : search.survivesNothing ? "survives nothing" : "limit"
        let stops: [Stop: String] = [.found: "found", .outOfTime: "out of time", .inconclusive: "inconclusive"]
        return JSON(
            ("figure", .text("\(range)")),
            ("outcome", .text(outcome)),
            ("limit", .text(outcome != "limit" ? nil : value(at: search.estimate))),
            ("lower", .text(search.lower.map { value(at: $0) })),
            ("upper", .text(search.upper.map { value(at: $0) })),
            ("confidence", .number(0.95)),
            ("stopped", .text(stops[stop])),
            ("seconds", .number(duration / .seconds(1))),
            (
                "runs",
                .list(
                    attempts.map { attempt in
                        JSON(
                            ("value", .text(value(at: attempt.position))),
                            ("seed", .number(attempt.seed)),
                            ("survived", attempt.survived.map { JSON(.bool($0)) } ?? JSON(.null))
                        )
                    }
                )
            )
        )
    }
}
