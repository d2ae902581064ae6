// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PacketCapture

struct CaptureOutputTests {
    private func facts(_ file: CInt) -> (size: Int, room: Int) {
        var facts = stat()
        fstat(file, &facts)
        return (Int(facts.st_size), Int(facts.st_blocks) * 512)
    }

    /// A disk that is full later has room for the blocks at the end.
    @Test func keepsRoomForTheEndOfAFile() throws {
        let path = "/dev/shm/linkcond-\(UUID().uuidString)"
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        unlink(path)
        defer { close(file) }
        let output = CaptureOutput(descriptor: file)
        let block: [UInt8] = [1, 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0]
        try block.withUnsafeBytes { try output.write($0) }
        #expect(facts(file).size == 12 && facts(file).room >= 1 << 14)
        output.liftBound()
        #expect(facts(file).size == 12 && facts(file).room < 1 << 14)
        try block.withUnsafeBytes { try output.write($0) }
        #expect(facts(file).size == 24)
    }
}
