// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import PacketCapture

struct CaptureBoundTests {
    @Test func endsALargeCapture() {
        let bound = CaptureBound(free: .max, isNamed: false)
        #expect(bound.room(size: (4 << 30) - 1) == 1 && bound.room(size: 5 << 30) == 0)
        #expect(bound.reason == "it has taken 4 GiB")
    }

    @Test func letsANamedCaptureGrow() {
        #expect(CaptureBound(free: .max, isNamed: true).room(size: 5 << 30) > 1 << 40)
    }

    @Test(arguments: [false, true])
    func leavesHalfOfTheRoom(isNamed: Bool) {
        let bound = CaptureBound(free: 6 << 20, isNamed: isNamed)
        #expect(bound.room(size: (3 << 20) - 1) == 1 && bound.room(size: 3 << 20) == 0)
        #expect(bound.reason == "it has taken half of the room that its file system had")
    }

    /// However much there is to write at once.
    @Test func isKeptByASingleWrite() throws {
        let files = try TemporaryDirectory()
        let path = try files.write("capture", "").path
        let descriptor = open(path, O_WRONLY)
        defer { close(descriptor) }
        let output = CaptureOutput(descriptor: descriptor, bound: CaptureBound(free: 5_000, isNamed: true))
        // Blocks of 120 bytes: a type, the length, what they hold.
        let block: [UInt8] = [6, 0, 0, 0, 120, 0, 0, 0] + [UInt8](repeating: 0, count: 112)
        let blocks = Array(repeatElement(block, count: 100).joined())
        #expect(throws: CaptureOutput.Failure.full("it has taken half of the room that its file system had")) {
            try blocks.withUnsafeBytes { try output.write($0) }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 20 * 120)
    }
}
