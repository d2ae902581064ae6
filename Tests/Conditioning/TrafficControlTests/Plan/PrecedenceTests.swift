// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import TestKit
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// Which of several rules has a packet.
@Suite struct PrecedenceTests {
    /// The profile of the rule whose filter is the first that matches a packet; nil if none does.
    private static func winner(_ traffic: Traffic, on device: SimulatedDevice) throws -> String? {
        for filter in device.filters.sorted(by: { $0.preference < $1.preference }) where filter.hook == .egress {
            guard try BPFInterpreter(filter.program).answer(to: traffic.packet) != 0 else { continue }
            return device.ifbs[filter.target]?.alias.flatMap { LaneAlias($0) }?.profile
        }
        return nil
    }

    /// The same by the definition, from the rules in the order in which they were added.
    private static func winner(_ traffic: Traffic, of rules: [(profile: String, selection: Selection)]) -> String? {
        let matching = rules.filter { rule in
            let classifier = Classifier(
                selection: rule.selection,
                condition: .any,
                remote: .destination,
                networkOffset: 14
            )
            return ClassifierModel(classifier: classifier).picks(traffic)
        }
        let best = matching.map(\.selection.specificity).max()
        return matching.last { $0.selection.specificity == best }?.profile
    }

    /// Rules are added, changed and removed in random order, by either engine. At each step of each change, every packet has
    /// the rule that it had before or the one that it has after.
    @Test func isThatOfTheMostSpecificRule() throws {
        var moves = 0
        for seed in UInt64(1)...8 { moves += try changeRules(seed: seed) }
        #expect(moves > 0, "nothing was moved or replaced")
    }

    /// Changes the rules of a device at random; returns how many filters gave way to others.
    private func changeRules(seed: UInt64) throws -> Int {
        var generator = SeededGenerator(seed: seed)
        var device = SimulatedDevice.ethernet
        var rules: [(profile: String, selection: Selection)] = []
        var moves = 0
        for time in 1...20 {
            let packets = (0..<12).map { _ in Traffic.random(&generator) }
            let before = try packets.map { try Self.winner($0, on: device) }
            let plan: Plan
            if let rule = rules.randomElement(using: &generator), generator.isOne(in: 5) {
                plan = device.planner().remove(rule.selection, owner: 0)
                rules.removeAll { $0.selection == rule.selection }
            } else {
                var selection = Classifier.random(&generator).selection
                if let rule = rules.randomElement(using: &generator), generator.isOne(in: 5) {
                    selection = rule.selection
                }
                guard selection.description.utf8.count <= LaneAlias.longestSelection, rules.count < 33 else { continue }
                let name = "Profile \(time)"
                plan = try device.plan(
                    Profile(name, uplink: .delay(time)),
                    selection.description,
                    time: time,
                    engine: generator.isOne(in: 3) ? .userspace : .netem
                )
                if let index = rules.firstIndex(where: { $0.selection == selection }) {
                    rules[index].profile = name
                } else {
                    rules.append((name, selection))
                }
            }
            moves += plan.build.count { if case .kernel(.deleteFilter) = $0 { true } else { false } }
            let after = packets.map { Self.winner($0, of: rules) }
            device.makeTaps(plan)
            for step in plan.build + plan.teardown {
                try device.perform(step)
                for (index, packet) in packets.enumerated() {
                    let present = try Self.winner(packet, on: device)
                    try #require(present == before[index] || present == after[index], "\(step.command)")
                }
            }
            for (packet, expected) in zip(packets, after) {
                try #require(try Self.winner(packet, on: device) == expected, "\(rules.map(\.selection)), \(packet)")
            }
            #expect(device.state.rules.allSatisfy { $0.lanes.allSatisfy(\.surplus.isEmpty) })
            #expect(PlanComparison.differences(plan.expected, in: device.state).isEmpty)
        }
        try device.reset()
        #expect(device.filters.isEmpty && device.passes.isEmpty && device.ifbs.isEmpty)
        return moves
    }

    @Test func leavesOtherFiltersAloneWhereThereIsRoom() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.delay(10), "to 10.0.0.0/8")
        for selection in ["everything", "to 10.1.0.0/16 port 443", "to 10.1.0.0/16", "port 443", "protocol udp"] {
            let filters = device.filters
            try device.apply(.delay(20), selection)
            #expect(Array(device.filters.prefix(filters.count)) == filters, "\(selection)")
        }
        let order = device.state.rules.map(\.selection.description)
        #expect(
            order == [
                "to 10.1.0.0/16 port 443", "to 10.1.0.0/16", "to 10.0.0.0/8", "protocol udp", "port 443", "everything",
            ]
        )
    }

    /// Earlier versions put rules one after the other at the end of the preferences, each before those before it.
    @Test(arguments: Engine.allCases) func movesTheRulesOfAnEarlierVersionToMakeRoom(engine: Engine) throws {
        var device = SimulatedDevice.ethernet
        for selection in ["to 10.1.0.0/16", "to 10.0.0.0/8", "port 1", "port 2"] {
            try device.apply(Profile("P", uplink: .delay(10)), selection, engine: engine)
        }
        for index in device.filters.indices {
            let filter = device.filters[index]
            let place = 50000 + 3 * (33 - filter.mark.rule) + (filter.mark.lane == .uplink ? 1 : 2)
            device.filters[index].preference = UInt16(place)
        }
        #expect(device.state.rules.map(\.number) == [4, 3, 2, 1])
        let plan = try device.plan(.delay(20), "everything", engine: engine)
        try device.carryOut(plan)
        #expect(device.state.rules.map(\.number) == [4, 3, 2, 1, 5])
        #expect(
            device.filters.allSatisfy { filter in device.passes.keys.allSatisfy { $0.preference < filter.preference } }
        )
        try device.reset()
        #expect(device.filters.isEmpty && device.passes.isEmpty)
    }

    /// Another program's filter came ahead of all.
    @Test(arguments: Engine.allCases) func movesWhatPrecedesARuleThatMoves(engine: Engine) throws {
        var device = SimulatedDevice.ethernet
        for selection in ["everything", "port 443", "to 10.0.0.0/8"] {
            try device.apply(.delay(10), selection, engine: engine)
        }
        device.addForeign("flower filter", preference: 40)
        try device.apply(.delay(20), "port 443", beforeForeign: true, engine: engine)
        #expect(device.state.rules.map(\.selection.description) == ["to 10.0.0.0/8", "port 443", "everything"])
        let ahead = device.filters.filter { $0.preference < 40 }.map(\.mark.rule)
        #expect(Set(ahead) == [2, 3])
        let passes = device.passes.keys.map(\.preference)
        #expect(device.filters.allSatisfy { filter in passes.allSatisfy { $0 < filter.preference } })
        #expect(Set(passes).count == (engine == .userspace ? 3 : 0))
        try device.reset()
        #expect(device.filters.isEmpty && device.passes.isEmpty)
    }

    @Test func usesTheNumbersOfRemovedRulesAgain() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.delay(10), "port 1000")
        for port in 1...40 {
            try device.apply(.delay(10), "port \(port)")
            if port > 1 { try device.carryOut(device.planner().remove(Selection("port \(port - 1)"), owner: 0)) }
        }
        #expect(device.state.rules.map(\.selection.description) == ["port 40", "port 1000"])
    }
}
