// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Reports

/// What a search for a limit found, for people and for programs.
extension LimitSearch {
    /// The finding in one sentence.
    var sentence: String {
        let name = "\(range)"
        let effort = "\(attempts.count) runs in \(duration.words)"
        let unanswered = attempts.count { $0.survived == nil }
        let doubt = unanswered > 0 ? ", \(unanswered) of them without an answer" : ""
        let known: String
        if survivesEverything {
            known = "survives \(name) of \(value(at: 100)), the harshest asked for"
        } else if survivesNothing {
            known = "does not survive \(name) of \(value(at: 0)), the mildest asked for"
        } else {
            known = "survives \(name) up to \(value(at: search.estimate)) (\(interval))"
        }
        let reason =
            switch stop {
            case .found: ""
            case .outOfTime: "; the time was up, a longer --budget narrows the interval"
            case .inconclusive: "; most runs have no answer, since the machine is too busy"
            }
        return "\(known); \(effort)\(doubt)\(reason)"
    }

    /// Between what the limit is known to be.
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

    /// The share of survivors at the values that were tried, with its interval.
    var picture: [OutputLine] {
        let width = 41
        let axis = "0 %" + String(repeating: " ", count: (width - 10) / 2) + "50 %"
        var table = Table(header: ["\(range)", "SURVIVED", axis])
        for (places, tally) in groups {
            let interval = WilsonInterval(tally.survived, of: tally.runs)
            guard let share = interval.share else { continue }
            var bar = [Character](repeating: " ", count: width)
            let column = { (share: Double) in Int((share * Double(width - 1)).rounded()) }
            bar[column(0.5)] = "·"
            for index in column(interval.range.lowerBound)...column(interval.range.upperBound) { bar[index] = "─" }
            bar[column(share)] = "●"
            let values = places.map { value(at: $0) }
            let label = values.count == 1 ? values[0] : "\(values[0]) to \(values[values.count - 1])"
            table.add([label, "\(tally.survived) of \(tally.runs)", String(bar)])
        }
        return table.lines(indent: 2)
    }

    /// The places that were tried, ten of a hundred together.
    private var groups: [(places: [Int], tally: SurvivalSearch.Tally)] {
        let tried = SurvivalSearch.places.filter { search.tallies[$0].runs > 0 }
        let groups = Dictionary(grouping: tried) { min($0 / 5, 19) }
        return groups.keys.sorted().map { key in
            let places = groups[key] ?? []
            let tally = places.reduce(into: SurvivalSearch.Tally()) { sum, place in
                sum.runs += search.tallies[place].runs
                sum.survived += search.tallies[place].survived
            }
            return (places, tally)
        }
    }

    /// The finding for a report.
    var report: LimitsReport.Limit {
        let places = SurvivalSearch.places
        let share = { (place: Int) in Double(place - places.lowerBound) / Double(places.count - 1) }
        let isFound = !survivesEverything && !survivesNothing
        return LimitsReport.Limit(
            figure: "\(range)",
            sentence: sentence,
            values: [places.lowerBound, (places.lowerBound + places.upperBound) / 2, places.upperBound].map(value),
            points: groups.map { places, tally in
                let middle = places[places.count / 2]
                let values = places.map { value(at: $0) }
                return LimitsReport.Limit.Point(
                    place: share(middle),
                    value: values.count == 1 ? values[0] : "\(values[0]) to \(values[values.count - 1])",
                    runs: tally.runs,
                    survived: tally.survived
                )
            },
            estimate: isFound ? share(search.estimate) : nil,
            lower: search.lower.map(share),
            upper: search.upper.map(share)
        )
    }

    /// The finding as JSON.
    var json: JSON {
        let outcome =
            survivesEverything ? "survives everything" : survivesNothing ? "survives nothing" : "limit"
        let stops: [Stop: String] = [.found: "found", .outOfTime: "out of time", .inconclusive: "inconclusive"]
        return JSON(
            ("figure", .text("\(range)")),
            ("outcome", .text(outcome)),
            ("limit", .text(survivesEverything || survivesNothing ? nil : value(at: search.estimate))),
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
                            ("value", .text(value(at: attempt.place))),
                            ("seed", .number(attempt.seed)),
                            ("survived", attempt.survived.map { JSON(.bool($0)) } ?? JSON(.null))
                        )
                    }
                )
            )
        )
    }
}
