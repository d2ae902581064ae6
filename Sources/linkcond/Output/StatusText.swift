// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkConditioning
import LinkProfiles

extension StatusReport {
    /// The report as lines of data for people, a table for each rule.
    var lines: [String] {
        (sandbox.map { [$0.line] } ?? []) + devices.flatMap { device in device.rules.flatMap { $0.lines(device) } }
            + suspended.map(\.line)
    }

    /// What there is to say beside the data.
    var note: String? {
        let filters = devices.flatMap { device in
            device.danglingFilters.map { "filter \($0) on \(device.interface), which drops packets" }
        }
        let left = devices.flatMap(\.leftovers) + leftovers + filters
        if !left.isEmpty {
            return "left behind by a process that was stopped: \(left.joined(separator: ", "))\ntry: linkcond reset"
        }
        // The line on a sandbox says as much of it.
        guard suspended.isEmpty else { return "what is off, \"linkcond on\" puts back" }
        return sandbox == nil && devices.allSatisfy(\.rules.isEmpty) ? "nothing is conditioned" : nil
    }
}

extension StatusReport.Suspended {
    fileprivate var line: String {
        Console.bold("\(interface): \(profile)") + " (off\(traffic.isEverything ? "" : ", traffic \(traffic)"))"
    }
}

extension StatusReport.Sandbox {
    fileprivate var line: String {
        let road = uplink.map { "uplink through \($0)" } ?? "offline"
        return Console.bold("sandbox: \(profile ?? "no conditions")") + " (\(road), kept by process \(processID))"
    }
}

extension StatusReport.Rule {
    fileprivate func lines(_ device: StatusReport.Device) -> [String] {
        let scope = traffic.isEverything ? "" : ", traffic \(traffic)"
        var lines = [
            Console.bold("\(device.interface): \(profile ?? "unknown")")
                + " (rule \(number)\(scope), \(engine), since \(Self.time(since ?? 0)), by uid \(userID ?? 0))"
        ]
        var table = Table(header: ["LANE", "CONDITIONS", "MATCHED", "SENT", "DROPPED", "HELD"])
        for lane in lanes { table.add(lane.cells(engine)) }
        lines += table.lines(indent: 2)
        if let ending { lines.append("  \(ending.words(now: Glibc.time(nil)))") }
        if lanes.allSatisfy({ $0.matchedPackets == 0 }) { lines.append("  no packet has matched yet") }
        if !askedBefore.isEmpty {
            lines.append("  asked before it, and may pass or drop packets: \(askedBefore.joined(separator: ", "))")
        }
        return lines
    }

    private static func time(_ seconds: Int) -> String {
        var seconds = time_t(seconds)
        var parts = tm()
        localtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%d %H:%M:%S", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension StatusReport.Ending {
    /// The ending in words, as of a time in seconds since 1970.
    func words(now: Int) -> String {
        func left(_ time: Int) -> String { Duration.seconds(max(time - now, 0)).text }
        let words = [
            confirmBy.map { "ends in \(left($0)) unless \"linkcond confirm\" follows" },
            until.map { "ends in \(left($0))" },
        ].compactMap { $0 }
        let list = words.isEmpty ? "ends with a command" : words.joined(separator: ", ")
        return "\(list) (process \(guardian) sees to it)"
    }
}

extension StatusReport.LaneStatus {
    fileprivate func cells(_ engine: String) -> [String] {
        [
            kind.name, words(engine), String(matchedPackets),
            counters.map { String($0.sentPackets) } ?? "-", counters.map { String($0.droppedPackets) } ?? "-",
            counters.map { String($0.heldPackets) } ?? "-",
        ]
    }

    /// A pump tells root and its own user only.
    private static let untold = geteuid() == 0 ? "its process does not answer" : "not told to this user"

    private func words(_ engine: String) -> String {
        guard let conditions else { return engine == "netem" ? "not what linkcond made" : Self.untold }
        guard conditions != Impairments() else { return "by schedule" }
        return (conditions.words + (limitPackets.map { ["limit \($0) packets"] } ?? [])).joined(separator: ", ")
    }
}
