// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@Suite struct WirePacketTests {
    private static func needs(_ change: (inout Impairments) -> Void) -> Bool {
        var impairments = Impairments()
        change(&impairments)
        return impairments.needsWirePackets
    }

    @Test func areNeededByWhatConcernsEachPacket() {
        #expect(Self.needs { $0.rate = BitRate(bitsPerSecond: 8000) })
        #expect(Self.needs { $0.trace = TraceReference(file: "a", format: .mahimahi, loop: true) })
        #expect(Self.needs { $0.loss = .random(.zero) })
        #expect(Self.needs { $0.duplicate = .zero })
        #expect(Self.needs { $0.corrupt = .zero })
        #expect(Self.needs { $0.reorder = Reorder(probability: .zero) })
        #expect(Self.needs { $0.jitter = Jitter(amount: .milliseconds(1)) })
    }

    @Test func areNotNeededByAConstantDelay() {
        #expect(!Self.needs { _ in })
        #expect(!Self.needs { $0.delay = .seconds(1) })
        #expect(!Self.needs { $0.ecn = true })
    }
}
