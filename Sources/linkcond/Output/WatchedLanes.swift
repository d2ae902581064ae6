// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles

/// The last minute of each lane, for `status --watch`: what differs from one look to the next.
struct WatchedLanes {
    /// A lane, which keeps its name as long as its rule is there.
    private struct Name: Hashable {
        let interface: String
        let rule: Int
        let lane: String
    }

    /// What one look found.
    private struct Look {
        let bitsPerSecond: Double
        let heldPackets: Double
        let dropsPerSecond: Double
    }

    private struct History {
        var counters: StatusReport.Counters
        var looks: [Look] = []
    }

    /// So many looks are drawn.
    private static let width = 60

    private var histories: [Name: History] = [:]
    private var order: [Name] = []

    /// Takes the next look, `time` after the one before.
    mutating func add(_ report: StatusReport, after time: Duration) {
        order = []
        for device in report.devices {
            for rule in device.rules {
                for lane in rule.lanes {
                    guard let counters = lane.counters else { continue }
                    let name = Name(interface: device.interface, rule: rule.number, lane: lane.kind.name)
                    order.append(name)
                    add(counters, to: name, after: time)
                }
            }
        }
        histories = histories.filter { order.contains($0.key) }
    }

    private mutating func add(_ counters: StatusReport.Counters, to name: Name, after time: Duration) {
        guard var history = histories[name] else {
            histories[name] = History(counters: counters)
            return
        }
        // Counters begin again where a rule is applied anew.
        let difference = { (path: KeyPath<StatusReport.Counters, UInt64>) -> Double in
            let (old, new) = (history.counters[keyPath: path], counters[keyPath: path])
            return new >= old ? Double(new - old) : 0
        }
        let seconds = max(time / .seconds(1), 1e-3)
        history.looks.append(
            Look(
                bitsPerSecond: difference(\.sentBytes) * 8 / seconds,
                heldPackets: Double(counters.heldPackets),
                dropsPerSecond: difference(\.droppedPackets) / seconds
            )
        )
        history.looks = history.looks.suffix(Self.width)
        history.counters = counters
        histories[name] = history
    }

    /// A graph of each figure of each lane; nothing before the second look.
    var lines: [OutputLine] {
        var table = Table(header: ["LANE", "NOW", "MOST", "LAST MINUTE"])
        var hasGraph = false
        for name in order {
            guard let looks = histories[name]?.looks, let last = looks.last else { continue }
            hasGraph = true
            let figures: [(label: String, path: KeyPath<Look, Double>, text: (Double) -> String)] = [
                ("\(name.interface) rule \(name.rule), \(name.lane)", \.bitsPerSecond, Self.rate),
                ("  packets held", \.heldPackets, { "\(Int($0))" }),
                ("  dropped per second", \.dropsPerSecond, { "\(Int($0.rounded()))" }),
            ]
            for figure in figures {
                let values = looks.map { $0[keyPath: figure.path] }
                let most = values.max() ?? 0
                table.add([
                    figure.label, figure.text(last[keyPath: figure.path]), figure.text(most), Self.graph(values),
                ])
            }
        }
        return hasGraph ? table.lines() : []
    }

    private static func rate(_ bitsPerSecond: Double) -> String {
        // Three digits: the rest changes too fast to be read.
        var unit: UInt64 = 1
        while bitsPerSecond / Double(unit) >= 1000 { unit *= 10 }
        return "\(BitRate(bitsPerSecond: UInt64((bitsPerSecond / Double(unit)).rounded()) * unit))"
    }

    /// Bars from zero to the most; a dot for nothing at all.
    static func graph(_ values: [Double]) -> String {
        let bars = Array("▁▂▃▄▅▆▇█")
        let most = values.max() ?? 0
        return String(
            values.map { value -> Character in
                value <= 0 || most <= 0 ? "·" : bars[min(Int(value / most * Double(bars.count)), bars.count - 1)]
            }
        )
    }
}
