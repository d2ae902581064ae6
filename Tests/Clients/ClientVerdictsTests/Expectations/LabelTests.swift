// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Testing

/// The labels of a scenario, which are known before it begins.
struct LabelTests {
    private static let labels = ["in the lift", "out again", "search 1", "cancelled", "offline"]

    @Test(arguments: [("out agian", "out again"), ("in the left", "in the lift"), ("canceled", "cancelled")])
    func findsAMisspeltLabel(_ label: String, _ nearest: String) throws {
        let expectation = ClientExpectation.recovers(within: .seconds(5), of: label)
        let found = try #require(expectation.misspeltLabel(among: Self.labels))
        #expect(found.found == label && found.nearest == nearest)
    }

    /// Right ones, marks that the client sets, and another number.
    @Test(arguments: ["out again", "typing", "search 2", "cancelled", "online"])
    func letsOtherLabelsBe(label: String) {
        #expect(ClientExpectation.recovers(within: .seconds(5), of: label).misspeltLabel(among: Self.labels) == nil)
        #expect(ClientExpectation.attemptsBackOff(during: label).misspeltLabel(among: []) == nil)
    }

    @Test func needsALabel() {
        #expect(ClientExpectation.leavesNoConnectionOpen.misspeltLabel(among: Self.labels) == nil)
    }
}
