// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import ProfileCatalog
import TestKit
import Testing

/// What is sent to see whether a link is right.
@Suite struct VerificationPlanTests {
    private static let profiles = Catalog(directories: []).all().profiles.map(\.profile).filter { !$0.lanes.isEmpty }

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
        let maximum = uplink == .nothing ? (short: 40, long: 10) : (short: 80, long: 20)
        #expect(count < (seconds == 20 ? maximum.short : maximum.long))
    }

    @Test func sendsWhatTheFiguresNeedOrSaysSo() {
        for profile in Self.profiles {
            let short = VerificationPlan(profile, budget: .seconds(10))
            let long = VerificationPlan(profile, budget: .seconds(36_000))
            #expect(long.shortfalls.isEmpty, "\(profile.name): \(long.shortfalls)")
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
                #expect(load > 1.3 * Double(rate.bitsPerSecond), "\(profile.name) \(direction)")
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
