// SPDX-License-Identifier: Apache-2.0

import LinkConditioning

/// The last minute of each lane for `status --watch`, as differences between consecutive readings of the counters.
struct WatchedLanes {
    private struct Lane {
        /// The lane's name, which stays the same as long as its rule exists.
        let name: String
        let counters: StatusReport.Counters
        var looks: [Look] = []
    }

    private struct Look {
        let bitsPerSecond: Double
        let heldPackets: Double
        let dropsPerSecond: Double

        init(_ old: StatusReport.Counters, _ new: StatusReport.Counters, after time: Duration) {
            let seconds = max(time / .seconds(1), 1e-3)
            // Counters restart at zero when a rule is applied again.
            func increase(_ old: UInt64, _ new: UInt64) -> Double { new >= old ? Double(new - old) : 0 }
            bitsPerSecond = increase(old.sentBytes, new.sentBytes) * 8 / seconds
            heldPackets = Double(new.heldPackets)
            dropsPerSecond = increase(old.droppedPackets, new.droppedPackets) / seconds
        }
    }

    /// The number of readings in a graph.
    private static let width = 60

    private var lanes: [Lane] = []

    /// Adds a reading, made `time` after the previous one.
    mutating func add(_ report: StatusReport, after time: Duration) {
        let before = lanes
        lanes = []
        for device in report.devices {
            for rule in device.rules {
                for lane in rule.lanes {
                    guard let counters = lane.counters else { continue }
                    let name = "\(device.interface) rule \(rule.number), \(lane.kind.name)"
                    var next = Lane(name: name, counters: counters)
                    if let last = before.first(where: { $0.name == name }) {
                        next.looks = (last.looks + [Look(last.counters, counters, after: time)]).suffix(Self.width)
                    }
                    lanes.append(next)
                }
            }
        }
    }

    /// A table with a graph of each figure of each lane; empty before the second reading.
    var lines: [OutputLine] {
        var table = Table(header: ["LANE", "NOW", "MOST", "LAST MINUTE"])
        var hasGraph = false
        for lane in lanes {
            guard let last = lane.looks.last else { continue }
            hasGraph = true
            let figures: [(label: String, path: KeyPath<Look, Double>, text: (Double) -> String)] = [
                (lane.name, \.bitsPerSecond, Self.rate),
                ("  packets held", \.heldPackets, { "\(Int($0))" }),
                ("  dropped per second", \.dropsPerSecond, { "\(Int($0.rounded()))" }),
            ]
            for figure in figures {
                let values = lane.looks.map { $0[keyPath: figure.path] }
                let maximum = values.max() ?? 0
                table.add([
                    figure.label, figure.text(last[keyPath: figure.path]), figure.text(maximum), Self.graph(values),
                ])
            }
        }
        return hasGraph ? table.lines() : []
    }

    private static func rate(_ bitsPerSecond: Double) -> String {
        // Three digits, since further ones change too fast to be read.
        var unit: UInt64 = 1
        while bitsPerSecond / Double(unit) >= 1000 { unit *= 10 }
        return "\(BitRate(bitsPerSecond: UInt64((bitsPerSecond / Double(unit)).rounded()) * unit))"
    }

    /// A graph of bars from zero to the maximum, with a dot for zero.
    static func graph(_ values: [Double]) -> String {
        let bars = Array("▁▂▃▄▅▆▇█")
        let maximum = values.max() ?? 0
        return String(
            values.map { value -> Character in
                value <= 0 || maximum <= 0 ? "·" : bars[min(Int(value / maximum * Double(bars.count)), bars.count - 1)]
            }
        )
    }
}
