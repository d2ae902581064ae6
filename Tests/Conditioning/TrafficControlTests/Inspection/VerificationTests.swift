// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

@Suite struct VerificationTests {
    /// The differences of a device with Slow Net after another program made `change`.
    private static func differences(
        _ profile: Profile = .slowNet,
        _ change: (inout SimulatedDevice) -> Void
    ) throws -> [String] {
        var device = SimulatedDevice.ethernet
        let plan = try device.apply(profile)
        change(&device)
        return PlanComparison.differences(plan.expected, in: device.state)
    }

    private static func changeNetem(_ device: inout SimulatedDevice, _ change: (inout Netem) -> Void) {
        for position in device.ifbs["lc2r1u"]?.qdiscs.indices ?? 0..<0 {
            guard case .netem(var netem)? = device.ifbs["lc2r1u"]?.qdiscs[position].kind else { continue }
            change(&netem)
            device.ifbs["lc2r1u"]?.qdiscs[position].kind = .netem(netem)
        }
    }

    @Test func findsNothingWhereNothingDiffers() throws {
        #expect(try Self.differences { _ in }.isEmpty)
    }

    @Test func namesALaneThatIsMissing() throws {
        #expect(try Self.differences { $0.ifbs["lc2r1u"] = nil } == ["lc2r1u is missing"])
    }

    @Test func namesALaneThatIsDown() throws {
        #expect(try Self.differences { $0.ifbs["lc2r1d"]?.isUp = false } == ["lc2r1d is down"])
    }

    @Test func namesAFilterThatIsGoneOrChanged() throws {
        #expect(try Self.differences { $0.filters.removeFirst() } == ["the filter to lc2r1n differs"])
        #expect(try Self.differences { $0.filters[1].program.removeLast() } == ["the filter to lc2r1u differs"])
    }

    @Test func namesALaneWithoutNetem() throws {
        #expect(try Self.differences { $0.ifbs["lc2r1u"]?.qdiscs.removeLast() } == ["lc2r1u has no netem"])
    }

    @Test func namesNetemsThatDiffer() throws {
        let words = try Self.differences { Self.changeNetem(&$0) { $0.latency += 1 } }
        #expect(words.count == 1)
        #expect(words.first?.hasPrefix("lc2r1u: asked for ") == true)
    }

    @Test func takesTheSeedThatTheKernelChose() throws {
        #expect(try Self.differences { Self.changeNetem(&$0) { $0.seed = 4711 } }.isEmpty)
        var seeded = Profile.slowNet
        seeded.seed = 1
        #expect(try !Self.differences(seeded) { Self.changeNetem(&$0) { $0.seed = 4711 } }.isEmpty)
    }

    @Test func allowsTheBucketsLastTick() throws {
        func withBurst(_ burst: UInt32) throws -> [String] {
            try Self.differences { device in
                let bucket = TokenBucket(bytesPerSecond: 3_750_000_000, burst: burst, limit: 1522)
                device.ifbs["lc2r1u"]?.qdiscs[0].kind = .tokenBucket(bucket)
            }
        }
        #expect(try withBurst(1440).isEmpty)
        #expect(try withBurst(1000).first?.contains("asked for tbf of 3750000000 B/s and 1522 bytes") == true)
    }

    @Test func namesASplitterThatIsMissing() throws {
        let words = try Self.differences { $0.ifbs["lc2r1u"]?.qdiscs.removeFirst() }
        #expect(words.first?.hasSuffix("found no tbf") == true)
    }

    @Test func noticesAQueueOfAnotherSizeOrNone() throws {
        let other = try Self.differences { $0.ifbs["lc2r1u"]?.policer?.burst += 1 }
        #expect(other.count == 1 && other[0].contains("lc2r1u: asked for a policer of 4000 B/s and 6056000000 ns"))
        let none = try Self.differences { $0.ifbs["lc2r1u"]?.policer = nil }
        #expect(none.count == 1 && none[0].hasSuffix("found no policer"))
    }

    @Test func noticesAChangedNetemAheadOfTheQueue() throws {
        let profile = Profile(
            "P",
            uplink: .with {
                $0.rate = BitRate(bitsPerSecond: 8000)
                $0.loss = .random(.percent(1))
            }
        )
        #expect(try Self.differences(profile) { _ in } == [])
        let path = try Self.differences(profile) { device in Self.changeNetem(&device) { $0.loss = .random(0) } }
        #expect(path.count == 1 && path[0].hasPrefix("lc2r1u: asked for Netem("))
        let missing = try Self.differences(profile) { device in
            device.ifbs["lc2r1u"]?.qdiscs.removeAll { $0.handle == Handle(0x30) }
        }
        #expect(missing.count == 1 && missing[0].hasSuffix("found none"))
    }
}
