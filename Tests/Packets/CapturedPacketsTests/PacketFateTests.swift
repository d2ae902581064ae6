// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import CapturedPackets

/// The comments of a link's packets.
@Suite struct PacketFateTests {
    @Test(arguments: [
        (
            PacketFate(lane: .uplink, .dropped(.randomLoss), due: .milliseconds(125), delay: nil),
            "lane=uplink fate=dropped reason=randomLoss due=125.000000ms"
        ),
        (
            PacketFate(lane: .dns, .passed, due: .nanoseconds(1_000_001), delay: .nanoseconds(12_345_678_901)),
            "lane=dns fate=passed due=1.000001ms delay=12345.678901ms"
        ),
        (
            PacketFate(lane: .downlink, .marked, due: .zero, delay: .nanoseconds(-5)),
            "lane=downlink fate=marked due=0.000000ms delay=-0.000005ms"
        ),
        (
            PacketFate(lane: .uplink, .dropped(nil), due: nil, delay: nil),
            "lane=uplink fate=dropped reason=unknown"
        ),
    ])
    func isWrittenAndReadAsAComment(fate: PacketFate, comment: String) {
        #expect(fate.description == comment)
        #expect(PacketFate(comment: comment) == fate)
    }

    @Test func tellsThatItIsThatOfACopy() {
        var fate = PacketFate(lane: .uplink, .dropped(.queueFull), due: .zero, delay: nil)
        fate.isCopy = true
        #expect(fate.description == "lane=uplink fate=dropped reason=queueFull due=0.000000ms copy=1")
        #expect(PacketFate(comment: fate.description) == fate)
    }

    @Test func namesTheFaultThatLostOrMadeAPacket() {
        var fate = PacketFate(lane: .uplink, .dropped(.fault(FaultMark(2, .reset))), due: .zero, delay: nil)
        #expect(fate.description == "lane=uplink fate=dropped reason=fault2:reset due=0.000000ms")
        #expect(PacketFate(comment: fate.description) == fate)
        fate = PacketFate(lane: .downlink, .passed, due: .zero, delay: .zero)
        fate.maker = FaultMark(64, .halfClose)
        #expect(fate.description == "lane=downlink fate=passed due=0.000000ms delay=0.000000ms made=fault64:halfClose")
        #expect(PacketFate(comment: fate.description) == fate)
        #expect(PacketFate(comment: "lane=uplink fate=dropped reason=fault0:x")?.fate == .dropped(nil))
        #expect(PacketFate(comment: "lane=uplink fate=passed made=x") == nil)
    }

    @Test func tellsOfHowManyPacketsItIs() {
        var fate = PacketFate(lane: .uplink, .passed, due: .zero, delay: .nanoseconds(7))
        fate.packets = 44
        #expect(fate.description == "lane=uplink fate=passed due=0.000000ms delay=0.000007ms packets=44")
        #expect(PacketFate(comment: fate.description) == fate)
    }

    @Test(arguments: [
        "", "hello", "lane=uplink", "lane=uplink fate=lost due=1.000000ms", "lane=uplink fate=passed due=1ms",
        "lane=uplink fate=passed due=1.000000ms due=1.000000ms", "lane=uplink fate=passed due=x.000000ms",
        "lane=uplink fate=passed due=99999999999999999999.000000ms", "lane=uplink fate=passed due=1.0000000ms",
        "lane=uplink fate=passed due=1.00000.ms", "lane=uplink fate=passed due=.000000ms", "lane=uplink fate=",
        "lane=uplink lane=uplink fate=passed", "fate=passed", "=uplink fate=passed",
    ])
    func isNoOtherComment(comment: String) {
        #expect(PacketFate(comment: comment) == nil)
    }
}
