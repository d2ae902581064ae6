// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import TrafficControl

@Suite struct LaneNameTests {
    @Test func saysDeviceRuleAndLane() {
        #expect(LaneName(deviceIndex: 2, rule: 1, kind: .uplink).description == "lc2r1u")
        #expect(LaneName(deviceIndex: 2, rule: 1, kind: .downlink).description == "lc2r1d")
        #expect(LaneName(deviceIndex: 17, rule: 33, kind: .dns, generation: 4).description == "lc17r33n4")
    }

    @Test(arguments: Lane.allCases)
    func readsWhatItWrites(kind: Lane) {
        for index in [Int32(1), 999_999, .max] {
            for rule in [1, 9, 33] {
                for generation in 0...9 {
                    let name = LaneName(deviceIndex: index, rule: rule, kind: kind, generation: generation)
                    #expect(LaneName(name.description) == name)
                }
            }
        }
    }

    @Test func fitsAnInterfacesName() {
        let longest = LaneName(deviceIndex: .max, rule: 9, kind: .uplink)
        #expect(longest.description.utf8.count == LinkRequest.maximumNameLength)
        let usual = LaneName(deviceIndex: 999_999, rule: 33, kind: .uplink, generation: 9)
        #expect(usual.description.utf8.count <= LinkRequest.maximumNameLength)
    }

    @Test(arguments: [
        "", "lc", "eth0", "ifb0", "lc2", "lc2r", "lc2r1", "lc2ru", "lcr1u", "lc2r1x", "lc2r1u0", "lc2r1u10", "lc2r1uu",
        "lc0r1u", "lc-1r1u", "lc2r0u", "lc2r-1u", "lc99999999999r1u", "LC2R1U", "lc2r1u ", " lc2r1u", "lc2r١u",
        "lc2r1u١",
    ])
    func refusesOtherDevicesNames(text: String) {
        #expect(LaneName(text) == nil)
    }

    @Test(arguments: ["lc02r1u", "lc+2r1u", "lc2r01u"])
    func refusesOtherSpellingsOfANumber(text: String) {
        #expect(LaneName(text) == nil)
    }

    @Test func givesNineSuccessorsBeforeANameComesAgain() {
        var name = LaneName(deviceIndex: 2, rule: 1, kind: .uplink)
        var seen: [String] = []
        for _ in 0..<10 {
            name = name.successor
            seen.append(name.description)
        }
        #expect(seen == (1...9).map { "lc2r1u\($0)" } + ["lc2r1u1"])
    }
}
