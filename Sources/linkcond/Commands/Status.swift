// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import Netlink

extension Linkcond {
    /// `linkcond status`
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show what is applied where, since when, by whom, and what it has done."
        )

        @Option(name: [.customShort("i"), .customLong("interface")], help: "Only this interface.")
        var interface: String?

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @Flag(name: .long, help: "Show it anew every second, until interrupted.")
        var watch = false

        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            let connection = try namespace.connect()
            repeat {
                if watch, isatty(STDOUT_FILENO) == 1 { Console.clear() }
                try show(connection)
                if watch { sleep(1) }
            } while watch
        }

        private func show(_ connection: RouteConnection) throws {
            let (devices, abandoned) = try Inspector(connection).devices(named: interface)
            if json {
                let left = abandoned.compactMap { JSON.text($0.name) }
                Console.data(
                    JSON(("devices", .list(devices.map(\.json))), ("leftovers", left.isEmpty ? nil : .list(left))).text
                )
                return
            }
            let leftovers =
                (devices.flatMap(\.orphans) + abandoned).map { "\($0.name)" }
                + devices.flatMap(\.danglingFilters).map {
                    "filter \($0.preference) on \($0.device), which drops packets"
                }
            devices.flatMap { $0.words() }.forEach(Console.data)
            if !leftovers.isEmpty {
                let names = leftovers.joined(separator: ", ")
                Console.note("left behind by a process that was stopped: \(names)\ntry: linkcond reset")
            }
            if devices.allSatisfy({ $0.rules.isEmpty }), leftovers.isEmpty { Console.note("nothing is conditioned") }
        }
    }
}

extension DeviceState {
    fileprivate func words() -> [String] {
        rules.flatMap { rule -> [String] in
            let tag = rule.tag
            let scope = rule.selection.isEverything ? "" : ", traffic \(rule.selection)"
            var lines = [
                Console.bold("\(link.name): \(tag?.profile ?? "unknown")")
                    + " (rule \(rule.number)\(scope), netem, since \(Self.time(tag?.appliedAt ?? 0)), "
                    + "by uid \(tag?.userID ?? 0))"
            ]
            var table = Table(header: ["LANE", "CONDITIONS", "MATCHED", "SENT", "DROPPED", "HELD"])
            for lane in rule.lanes {
                let counters = lane.netem?.statistics
                table.add([
                    lane.name.kind.rawValue, lane.words, String(lane.matchedPackets),
                    counters.map { String($0.packets) } ?? "-", counters.map { String($0.drops) } ?? "-",
                    counters.map { String($0.queuedPackets) } ?? "-",
                ])
            }
            lines += table.lines(indent: 2)
            if rule.lanes.allSatisfy({ $0.matchedPackets == 0 }) { lines.append("  no packet has matched yet") }
            let first = rule.lanes.compactMap { $0.filter?.preference }.min() ?? 0
            let ahead = foreign.filter { ($0.preference ?? 0) < first }.map(\.words)
            if !ahead.isEmpty {
                lines.append("  asked before it, and may pass or drop packets: \(ahead.joined(separator: ", "))")
            }
            return lines
        }
    }

    private static func time(_ seconds: Int) -> String {
        var seconds = time_t(seconds)
        var parts = tm()
        localtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%d %H:%M:%S", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    fileprivate var json: JSON {
        JSON(
            ("interface", .text(link.name)),
            ("index", .number(link.index)),
            ("rules", .list(rules.map(\.json))),
            ("leftovers", orphans.isEmpty ? nil : .list(orphans.compactMap { .text($0.name) }))
        )
    }
}

extension RuleState {
    fileprivate var json: JSON {
        JSON(
            ("rule", .number(number)),
            ("profile", .text(tag?.profile)),
            ("traffic", .text(selection)),
            ("engine", "netem"),
            ("since", .number(tag?.appliedAt)),
            ("uid", .number(tag?.userID)),
            ("pid", .number(tag?.processID)),
            ("lanes", .list(lanes.map(\.json)))
        )
    }
}

extension LaneState {
    fileprivate var words: String {
        guard let lane else { return "not what linkcond made" }
        let words = lane.impairments.words
        return (words + ["limit \(lane.netem.limit) packets"]).joined(separator: ", ")
    }

    fileprivate var json: JSON {
        let counters = netem?.statistics
        return JSON(
            ("lane", .text(name.kind.rawValue)),
            ("device", .text(name)),
            ("conditions", lane?.impairments.json),
            ("limitPackets", .number(lane?.netem.limit)),
            ("matchedPackets", .number(matchedPackets)),
            ("sentPackets", .number(counters?.packets)),
            ("sentBytes", .number(counters?.bytes)),
            ("droppedPackets", .number(counters?.drops)),
            ("heldPackets", .number(counters?.queuedPackets)),
            ("heldBytes", .number(counters?.queuedBytes))
        )
    }
}
