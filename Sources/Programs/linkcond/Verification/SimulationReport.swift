// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkEmulation
import LinkProfiles
import LinkVerification
import Statistics

/// The result of a simulation: a table, and charts over time.
struct SimulationReport {
    private let profile: Profile
    private let lanes: [SimulatedLane]
    private let seed: UInt64

    init(_ profile: Profile, _ lanes: [SimulatedLane], seed: UInt64) {
        (self.profile, self.lanes, self.seed) = (profile, lanes, seed)
    }

    private var end: Int64 { lanes.map(\.end).max() ?? 0 }

    var lines: [OutputLine] {
        let rows: [(String, (SimulatedLane) -> String)] = [
            ("packets", { "\($0.arrivals.count)" }),
            ("lost", { lane in Self.share(lane.lost, of: lane) }),
            ("delay p50", { Self.delay(0.5, of: $0) }), ("delay p90", { Self.delay(0.9, of: $0) }),
            ("delay p99", { Self.delay(0.99, of: $0) }), ("longest delay", { Self.delay(1, of: $0) }),
            ("duplicates", { Self.share($0.duplicates, of: $0) }), ("corrupted", { Self.share($0.damaged, of: $0) }),
            ("marked", { Self.share($0.marked, of: $0) }), ("overtaken", { Self.share($0.overtaken, of: $0) }),
            ("held for ever", { Self.share($0.held, of: $0) }),
            ("waited behind others", { $0.competition?.percentBehindOthers.map { "\($0) % of the delay" } ?? "" }),
        ]
        var table = Table(header: [""] + lanes.map { $0.lane.name.uppercased() })
        for (name, value) in rows {
            let values = lanes.map(value)
            // Leaves out counts of zero, except losses.
            guard name == "lost" || values.contains(where: { !$0.isEmpty && $0 != "0" }) else { continue }
            table.add([name] + values)
            if name == "lost" {
                for reason in reasons { table.add(["  \(reason.words)"] + lanes.map { $0.share(reason) }) }
            }
        }
        return [OutputLine(heading: profile.name, ", seed \(seed)")] + table.lines(indent: 2) + charts
    }

    private var reasons: [DropReason] {
        var reasons: [DropReason] = []
        for reason in lanes.flatMap(\.drops).map(\.reason) where !reasons.contains(reason) { reasons.append(reason) }
        return reasons
    }

    fileprivate static func share(_ count: Int, of lane: SimulatedLane) -> String {
        guard count > 0 else { return "0" }
        let share = Double(count) / Double(max(lane.arrivals.count, 1))
        return "\(count) (\((share * 10_000).rounded() / 100) %)"
    }

    private static func delay(_ part: Double, of lane: SimulatedLane) -> String {
        lane.delays.isEmpty ? "" : VerificationTable.milliseconds(lane.delays.quantile(part))
    }

    // MARK: Over time

    private var charts: [OutputLine] {
        let width = TerminalSize.outputColumns
        let room = min(BarChart.columns(width: width, labels: ["999.9 Mbit/s"]), 120)
        guard room >= 16, end > 0 else { return [] }
        let ends = ("0 s", Duration.nanoseconds(end).words)
        return lanes.flatMap { lane -> [OutputLine] in
            let (rates, delays) = (lane.rates(room, until: end).coming, lane.delays(room, until: end))
            let maximum = (rate: rates.max() ?? 0, delay: delays.max() ?? 0)
            var lines: [OutputLine] = []
            if maximum.rate > 0 {
                let label = VerificationTable.rate(maximum.rate)
                lines +=
                    BarChart(
                        title: "rate that comes, \(lane.lane), over time",
                        values: rates,
                        maximum: label,
                        minimum: "0",
                        ends: ends
                    ).lines
            }
            if maximum.delay >= 0.01 {
                lines +=
                    BarChart(
                        title: "delay, \(lane.lane), over time",
                        values: delays,
                        maximum: VerificationTable.milliseconds(maximum.delay),
                        minimum: "0",
                        ends: ends
                    ).lines
            }
            return lines
        }
    }

    // MARK: JSON

    var json: JSON {
        JSON(
            ("version", .number(1)),
            ("profile", .text(profile.name)),
            ("seed", JSON(.number("\(seed)"))),
            ("lanes", .list(lanes.map(Self.json)))
        )
    }

    private static func json(_ lane: SimulatedLane) -> JSON {
        func delay(_ part: Double) -> JSON? {
            lane.delays.isEmpty ? nil : VerificationTable.number(lane.delays.quantile(part))
        }
        return JSON(
            ("lane", .text(lane.lane.name)),
            ("packets", .number(lane.arrivals.count)),
            ("lost", .number(lane.lost)),
            (
                "reasons",
                .list(lane.drops.map { JSON(("reason", .text($0.reason.name)), ("packets", .number($0.packets))) })
            ),
            ("delay50", delay(0.5)),
            ("delay90", delay(0.9)),
            ("delay99", delay(0.99)),
            ("longestDelay", delay(1)),
            ("duplicates", .number(lane.duplicates)),
            ("corrupted", .number(lane.damaged)),
            ("marked", .number(lane.marked)),
            ("overtaken", .number(lane.overtaken)),
            ("held", .number(lane.held)),
            ("percentBehindOthers", .number(lane.competition?.percentBehindOthers))
        )
    }
}

extension SimulatedLane {
    fileprivate func share(_ reason: DropReason) -> String {
        let count = drops.first { $0.reason == reason }?.packets ?? 0
        return count > 0 ? SimulationReport.share(count, of: self) : ""
    }
}
