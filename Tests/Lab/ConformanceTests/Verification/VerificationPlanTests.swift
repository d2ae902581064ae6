// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import ProfileCatalog
import TestKit
import Testing

/// What is sent to see whether a link is right.
@Suite struct VerificationPlanTests {
    /// Without those with competing traffic, which `verify` leaves out of a link.
    private static let profiles = Catalog(directories: []).all().profiles.map(\.profile)
        .filter { !$0.lanes.isEmpty && $0.downlink?.competing == nil && $0.uplink?.competing == nil }

    /// Or says what it takes, where a few packets take that long.
    @Test(arguments: [20, 60], [VerificationPlan.UplinkShare.nothing, .transfers])
    func keepsToTheTime(seconds: Int, uplink: VerificationPlan.UplinkShare) {
        #expect(Self.profiles.count > 100)
        var count = 0
        for profile in Self.profiles {
            let plan = VerificationPlan(profile, budget: .seconds(seconds), uplink: uplink)
            let isSaid = plan.shortfalls.contains { $0.contains("so slow a link") }
            count += isSaid ? 1 : 0
            #expect(isSaid || plan.duration <= .seconds(seconds) * 1.1, "\(profile.name): \(plan.duration.text)")
        }
        let share = Double(count) / Double(Self.profiles.count)
        let maximum = uplink == .nothing ? (short: 0.3, long: 0.08) : (short: 0.6, long: 0.15)
        #expect(share < (seconds == 20 ? maximum.short : maximum.long))
    }

    @Test func sendsWhatTheFiguresNeedOrSaysSo() {
        for profile in Self.profiles {
            let short = VerificationPlan(profile, budget: .seconds(10))
            let long = VerificationPlan(profile, budget: .seconds(36_000))
            // Of 40,000 super-packets at most, too few are lost of one in 5,000 or less, however long it takes.
            let isRare = [profile.downlink, profile.uplink].contains { (1e-9...2e-4).contains($0?.loss?.meanLoss ?? 0) }
            let lacking = long.shortfalls.filter { !isRare || !$0.hasSuffix("how super-packets are lost") }
            #expect(lacking.isEmpty, "\(profile.name): \(lacking)")
            for direction in Direction.allCases {
                let counts = [short, long].compactMap { $0.phases.first?.flows[direction]?.packets }
                guard counts.count == 2, counts[0] < counts[1] else { continue }
                #expect(short.shortfalls.contains { $0.hasPrefix(direction.rawValue) }, "\(profile.name)")
            }
        }
    }

    @Test func fillsEachRate() throws {
        for profile in Self.profiles {
            let plan = VerificationPlan(profile, budget: .seconds(60))
            for direction in Direction.allCases {
                let figures = direction == .uplink ? profile.uplink : profile.downlink
                guard let rate = figures?.rate, !rate.isZero, profile.schedule == nil else { continue }
                let traffic = plan.phases.compactMap { $0.kind == .full ? $0.flows[direction] : nil }
                #expect(traffic.count == 1, "\(profile.name)")
                let sent = try #require(traffic.first)
                let load = Double(sent.group * sent.frameBytes * 8) / (sent.interval / .seconds(1))
                // Losses leave less of it for the bottleneck.
                let passing = max(1 - (figures?.loss?.meanLoss ?? 0), 0.1)
                #expect(load * passing > 1.3 * Double(rate.bitsPerSecond), "\(profile.name) \(direction)")
            }
        }
    }

    @Test func carriesRecordsBetweenProcesses() throws {
        var records: [PhaseRecord] = []
        for (seed, name) in ["RMCAT Default", "Wi-Fi Lossy", "Black Hole"].enumerated() {
            let profile = try Catalog(directories: []).profile(name).profile
            for phase in VerificationPlan(profile, budget: .seconds(10), uplink: .transfers).phases {
                var record = phase.simulated(through: profile, seed: UInt64(seed))
                record.lateness = [0, 0.25, 3]
                records.append(record)
            }
        }
        let numbers = records.flatMap(\.numbers)
        var rest = numbers[...]
        for record in records {
            let read = try #require(PhaseRecord(&rest))
            #expect(read.numbers == record.numbers && read.lateness == record.lateness)
        }
        #expect(rest.isEmpty)
        // One that a killed process left.
        let first = records[0].numbers
        for length in stride(from: 0, to: first.count, by: 97) {
            var part = first[..<length]
            #expect(PhaseRecord(&part) == nil)
        }
    }
}
