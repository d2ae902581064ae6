// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// Devices with classifiers of other programs.
@Suite struct PlannerForeignTests {
    private static func device(_ preferences: UInt16?...) -> SimulatedDevice {
        var device = SimulatedDevice.ethernet
        for preference in preferences { device.addForeign("flower filter", preference: preference) }
        return device
    }

    @Test(arguments: [UInt16(4), 5, 50, 100, 49152, 50010, 65535])
    func refusesUnlessAskedToGoAhead(preference: UInt16) {
        let error = #expect(throws: ConditioningError.self) { try Self.device(preference).plan(.slowNet) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("flower filter") == true)
        #expect(error?.remedy == Remedy(.precedeForeign))
    }

    @Test(arguments: [UInt16(5), 50, 99, 100, 132, 133, 200, 49152, 50000, 50010, 50098, 50099, 60000, 65535])
    func goesAheadWhereAsked(preference: UInt16) throws {
        var device = Self.device(preference, 65535)
        let rules = min(33, (Int(preference) - 1) / 4)
        for port in 1...rules { try device.apply(.slowNet, "port \(port)", beforeForeign: true) }
        #expect(device.filters.count == rules * 3)
        #expect(device.filters.allSatisfy { (1..<preference).contains($0.preference) })
        let plan = try device.plan(.slowNet, "port 1", beforeForeign: true)
        #expect(
            plan.notes.contains {
                $0.hasPrefix("classifiers that no longer see the conditioned packets: flower filter")
            }
        )
        try device.reset()
        #expect(device.hook == .clsact)
    }

    @Test(arguments: [UInt16(1), 2, 3], [false, true])
    func refusesWhereThereIsNoRoomAheadAndAdvisesNothing(preference: UInt16, beforeForeign: Bool) {
        let error = #expect(throws: ConditioningError.self) {
            try Self.device(preference).plan(.slowNet, beforeForeign: beforeForeign)
        }
        #expect(error?.code == .unsupported && error?.remedy == nil)
        #expect(error?.message.contains("no filter can precede") == true)
    }

    /// Each rule needs three filters, and one more for packets that return from a pump.
    @Test(arguments: [UInt16(5), 9, 10, 17, 100, 132], Engine.allCases)
    func usesTheRoomThatThereIs(preference: UInt16, engine: Engine) throws {
        var device = Self.device(preference)
        let rules = (Int(preference) - 1) / 4
        for port in 1...rules {
            try device.apply(Profile("Up", uplink: .delay(10)), "port \(port)", beforeForeign: true, engine: engine)
        }
        let passes = device.passes.keys.map(\.preference)
        let places = device.filters.filter { $0.hook == .egress }.map(\.preference) + passes
        #expect(Set(places).count == places.count && places.allSatisfy { (1..<preference).contains($0) })
        #expect(device.filters.allSatisfy { filter in passes.allSatisfy { $0 < filter.preference } })
        let order = device.filters.sorted { $0.preference < $1.preference }.map(\.mark.rule)
        #expect(order == order.sorted(by: >))
        let error = #expect(throws: ConditioningError.self) {
            try device.plan(.slowNet, "port 60000", beforeForeign: true, engine: engine)
        }
        #expect(error?.code == .tooMuch && error?.message.contains("no room for more than \(rules) rule") == true)
        try device.reset()
        #expect(device.filters.isEmpty && device.passes.isEmpty)
    }

    /// The earlier rules stay behind when the other program's filter is gone.
    @Test func putsALaterRuleAheadWhereThereWasLittleRoom() throws {
        var device = Self.device(9)
        try device.apply(.slowNet, "port 1", beforeForeign: true)
        device.foreign.removeAll()
        try device.apply(.delay(50), "port 2")
        for hook in [Handle.egress, .ingress] {
            let filters = device.filters.filter { $0.hook == hook }.sorted { $0.preference < $1.preference }
            #expect(filters.map(\.mark.rule) == filters.map(\.mark.rule).sorted(by: >))
        }
    }

    @Test func refusesProgramsThatRunBeforeAllFilters() {
        let error = #expect(throws: ConditioningError.self) { try Self.device(nil).plan(.slowNet, beforeForeign: true) }
        #expect(error?.remedy == nil)
        #expect(error?.message.contains("no filter can precede") == true)
    }

    /// Another program may have added a filter since the rule was made.
    @Test func movesARuleAheadOfAFilterThatCameLater() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        device.addForeign("flower filter", preference: 49152)
        let plan = try device.plan(.delay(200), beforeForeign: true)
        #expect(plan.expected.allSatisfy { $0.filter.preference < 49152 })
        try device.carryOut(plan)
        #expect(device.filters.count == 2)
        #expect(device.filters.allSatisfy { $0.preference < 49152 })
    }

    /// The latest rule wins, regardless of the preferences of those before it.
    @Test func putsALaterRuleAheadOfOneThatWentAheadOfOthers() throws {
        var device = Self.device(49152)
        try device.apply(.slowNet, beforeForeign: true)
        device.foreign.removeAll()
        try device.apply(.delay(50), "port 443")
        for hook in [Handle.egress, .ingress] {
            let order = device.filters.filter { $0.hook == hook }.sorted { $0.preference < $1.preference }.map(
                \.mark.rule
            )
            #expect(order == order.sorted(by: >))
        }
    }
}
