// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct DropReasonTests {
    /// A reason that is added needs a counter in a pump's page, too, before that of all faults.
    @Test func haveACounterEach() {
        let reasons = DropReason.plain + [.fault(FaultMark(1, .lose))]
        #expect(reasons.map(\.counter) == Array(0..<DropReason.Counters.count))
    }

    @Test func haveWordsForPeople() {
        #expect([DropReason.randomLoss, .queueFull, .noIPv6].map(\.words) == ["random loss", "queue full", "no IPv6"])
        #expect(DropReason.fault(FaultMark(2, .reset)).words == "fault 2: reset")
    }

    @Test func areReadByTheirNames() {
        for reason in DropReason.plain + [.fault(FaultMark(2, .reset))] {
            #expect(DropReason(name: reason.name) == reason)
        }
        #expect(DropReason(name: "rain") == nil)
    }
}
