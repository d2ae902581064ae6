// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit
import Testing

@testable import ProfileFitting

/// What no link of constant figures makes is called so.
@Suite struct BadFitTests {
    private static let link = KnownLink(seed: 2)

    private func contradiction(_ trips: [Double?]) throws -> String {
        let fitted = try SimulatedPing(trips: trips).fitted()
        #expect(fitted.profile.summary?.hasSuffix("; a bad fit") ?? false)
        let remark = fitted.remarks.first { $0.hasPrefix("this is no link of constant figures: ") }
        return try #require(remark)
    }

    private var trips: [Double?] { SimulatedPing(Self.link.profile, count: 1000, seed: 5).trips }

    @Test(arguments: [0.1, 0.5])
    func hasTwoModes(share: Double) throws {
        var random = SeededGenerator(seed: 7)
        let changed = trips.map { $0.map { Double.random(in: 0..<1, using: &random) < share ? 3 * $0 : $0 } }
        #expect(try contradiction(changed).contains("two modes"))
    }

    @Test func drifts() throws {
        let changed = trips.enumerated().map { index, trip in trip.map { $0 * (1 + Double(index) / 1000) } }
        #expect(try contradiction(changed).contains("during the recording"))
    }

    @Test func changesItsLevelForAWhile() throws {
        let changed = trips.enumerated().map { index, trip in trip.map { 400..<600 ~= index ? 1.6 * $0 : $0 } }
        #expect(try contradiction(changed).contains("changes between"))
    }

    @Test(arguments: [12, 100])
    func hasAnOutage(length: Int) throws {
        var changed = trips
        for index in 500..<500 + length { changed[index] = nil }
        #expect(try contradiction(changed).contains("packets 501 to \(500 + length) were all lost, an outage"))
        let fitted = try SimulatedPing(trips: changed).fitted()
        #expect(fitted.profile.downlink?.loss == nil)
    }

    @Test func losesMoreAndMore() throws {
        var random = SeededGenerator(seed: 8)
        let changed = (0..<2000).map { index in
            Double.random(in: 0..<1, using: &random) < (index < 1000 ? 0.01 : 0.1) ? nil : 0.05
        }
        #expect(try contradiction(changed).contains("of the first half were lost"))
    }
}
