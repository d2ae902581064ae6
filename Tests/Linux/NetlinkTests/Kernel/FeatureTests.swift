// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Netlink

@Suite(.enabled(if: NetworkNamespace.isAvailable, NetworkNamespace.need)) struct FeatureTests {
    @Test func findsWhatTheOtherTestsUse() async throws {
        let features = try await NetworkNamespace.run { connection in
            try [KernelFeature.tokenBucket, .ifb, .mirred].map { try connection.has($0) }
        }
        #expect(features == [true, true, true])
    }

    @Test(arguments: KernelFeature.allCases) func changesNothingByLooking(_ feature: KernelFeature) async throws {
        let (before, after) = try await NetworkNamespace.run { connection in
            _ = try connection.has(feature)  // loading a module may create devices
            let before = try connection.everything()
            _ = try connection.has(feature)
            return (before, try connection.everything())
        }
        #expect(before == after)
    }

    /// Even if a qdisc has the handle that the probe uses.
    @Test(arguments: KernelFeature.allCases, [Handle(1), Handle(0x7FC0)])
    func leavesTheLoopbacksQdiscAlone(_ feature: KernelFeature, _ handle: Handle) async throws {
        let (before, after) = try await NetworkNamespace.run { connection in
            let bucket = TokenBucket(bytesPerSecond: 3_750_000_000, burst: 1522, limit: 1522)
            let qdisc = Qdisc(link: 1, parent: .root, handle: handle, kind: .tokenBucket(bucket))
            try connection.perform(qdisc.add(on: "lo"))
            let before = try connection.everything()
            _ = try connection.has(feature)
            return (before, try connection.everything())
        }
        #expect(before == after)
        #expect(before.count > 1)
    }
}
