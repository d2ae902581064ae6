// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@Suite struct LaneTests {
    private static func profile(_ change: (inout Profile) -> Void) -> Profile {
        var profile = Profile(name: "P")
        change(&profile)
        return profile
    }

    private static func delay(_ milliseconds: Int) -> Impairments {
        var impairments = Impairments()
        impairments.delay = .milliseconds(milliseconds)
        return impairments
    }

    /// Random sequences and the counters of the userspace engine depend on these numbers.
    @Test func numbersAreFixed() {
        #expect(Lane.allCases == [.uplink, .downlink, .dns])
        #expect(Lane.allCases.map(\.rawValue) == [0, 1, 2])
    }

    @Test(arguments: Lane.allCases)
    func isFoundByItsName(lane: Lane) {
        #expect(Lane(name: lane.name) == lane)
        #expect("\(lane)" == lane.name)
        #expect(Lane(name: lane.name.uppercased()) == nil)
    }

    @Test func queriesTravelWithTheUplink() {
        #expect(Lane.allCases.map(\.direction) == [.uplink, .downlink, .uplink])
    }

    @Test func addsTheDelayOfQueriesToTheUplinks() {
        let lanes = Self.profile {
            $0.uplink = Self.delay(100)
            $0.uplink?.loss = .random(.one)
            $0.downlink = Self.delay(30)
            $0.dns = DNSImpairment(delay: .milliseconds(200))
        }.lanes
        #expect(lanes.map(\.lane) == [.dns, .uplink, .downlink])
        #expect(lanes.map(\.impairments.delay) == [.milliseconds(300), .milliseconds(100), .milliseconds(30)])
        #expect(lanes.map(\.impairments.loss) == [.random(.one), .random(.one), nil])
    }

    @Test func leavesOutWhatIsUntouched() {
        #expect(Self.profile { _ in }.lanes.isEmpty)
        let empty = Self.profile {
            $0.uplink = Impairments()
            $0.downlink = Impairments()
        }
        #expect(empty.lanes.isEmpty)
        #expect(Self.profile { $0.downlink = Self.delay(0) }.lanes.map(\.lane) == [.downlink])
        let dns = Self.profile { $0.dns = DNSImpairment(delay: .zero) }.lanes
        #expect(dns.map(\.lane) == [.dns])
        #expect(dns.map(\.impairments.delay) == [.zero])
    }

    @Test func addsTheLanesOfTheSchedule() {
        var step = Schedule.Step(at: .seconds(1))
        step.uplink = Self.delay(5)
        let profile = Self.profile {
            $0.downlink = Self.delay(30)
            $0.schedule = Schedule(steps: [step])
        }
        #expect(profile.lanes.map(\.lane) == [.uplink, .downlink])
        #expect(profile.lanes.map(\.impairments) == [Impairments(), Self.delay(30)])
        step.downlink = Self.delay(6)
        let both = Self.profile {
            $0.uplink = Self.delay(1)
            $0.downlink = Self.delay(2)
            $0.schedule = Schedule(steps: [step])
        }
        #expect(both.lanes.map(\.impairments) == [Self.delay(1), Self.delay(2)])
    }

    @Test func addsTheDelayOfQueriesToThatOfAStep() {
        var (slower, lossier) = (Schedule.Step(at: .seconds(1)), Schedule.Step(at: .seconds(2)))
        slower.uplink = Self.delay(5)
        lossier.uplink = Impairments()
        lossier.uplink?.loss = .random(.one)
        let profile = Self.profile {
            $0.dns = DNSImpairment(delay: .milliseconds(200))
            $0.schedule = Schedule(steps: [slower, lossier])
        }
        #expect(profile.overrides(of: .dns, in: slower) == Self.delay(205))
        #expect(profile.overrides(of: .dns, in: lossier) == lossier.uplink)
        #expect(profile.overrides(of: .uplink, in: slower) == Self.delay(5))
        #expect(profile.overrides(of: .downlink, in: slower) == nil)
    }
}
