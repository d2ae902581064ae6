// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import LinkConditioning
@testable import TrafficControl

@Suite struct EntryDeviceTests {
    private static let packets = Lane.allCases.map { EntryDevice.Packets.lane($0) } + [.sent, .received]

    @Test func readsWhatItWrites() {
        let devices = Self.packets.flatMap { packets in
            [1, 17, .max].map { EntryDevice(deviceIndex: $0, packets) }
        }
        #expect(devices.map { EntryDevice($0.description) } == devices)
        #expect(Set(devices.map(\.description)).count == devices.count)
        #expect(devices.allSatisfy { $0.description.utf8.count <= LinkRequest.maximumNameLength })
        #expect(devices.allSatisfy { LaneName($0.description) == nil })
    }

    @Test(arguments: ["", "lce", "lce1", "lceu", "lce0u", "lce01u", "lce-1u", "lce1x", "lc1r1u", "lce1uu", "eth0"])
    func refusesOtherDevicesNames(text: String) {
        #expect(EntryDevice(text) == nil)
    }

    /// What the supervisor tells the capture arrives as it was.
    @Test func sendsTimesAsNumbers() {
        var times = LaneTimes([])
        times.longestStay = .seconds(300)
        times.delays = [.downlink: .milliseconds(20), .dns: .zero]
        #expect(LaneTimes(nanoseconds: times.nanoseconds) == times)
        #expect(LaneTimes(nanoseconds: [0]) == nil && LaneTimes(nanoseconds: []) == nil)
    }
}
