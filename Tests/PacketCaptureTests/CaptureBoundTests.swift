// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketCapture

struct CaptureBoundTests {
    @Test func endsALargeCapture() {
        let bound = CaptureBound(free: .max, isNamed: false)
        #expect(bound.reason(size: (4 << 30) - 1) == nil)
        #expect(bound.reason(size: 4 << 30) == "it has taken 4 GiB")
    }

    @Test func letsANamedCaptureGrow() {
        #expect(CaptureBound(free: .max, isNamed: true).reason(size: 5 << 30) == nil)
    }

    @Test(arguments: [false, true])
    func leavesHalfOfTheRoom(isNamed: Bool) {
        let bound = CaptureBound(free: 6 << 20, isNamed: isNamed)
        #expect(bound.reason(size: (3 << 20) - 1) == nil)
        #expect(bound.reason(size: 3 << 20) == "it has taken half of the room that its file system had")
    }
}
