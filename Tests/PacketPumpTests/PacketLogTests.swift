// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinkProfiles
import Testing

@testable import PacketPump

@Suite struct PacketLogTests {
    @Test func writesALineAPacketAndSaysHowManyItLost() throws {
        let file = lc_open_memory("log")
        defer { close(file) }
        let log = try PacketLog(descriptor: file, device: "eth0", capacity: 1 << 16)
        let now = lc_monotonic_time()
        let packet = RecordedPacket(
            arrival: now + 1_000_000_000,
            due: now + 1_500_000_000,
            counted: 98,
            kind: .packet,
            lane: .dns,
            fate: .dropped(.queueFull)
        )
        // Many more than fit, faster than they are written.
        for _ in 0..<1_000_000 { log.recorder.add(packet) }
        log.finish()
        let lines = text(of: file).split(separator: "\n")
        #expect(lines.first == "arrival\tdue\tdeparture\tbytes\tdevice\tlane\tfate\treason")
        let last = try #require(lines.last)
        let lost = try #require(Int(last.split(separator: " ")[2]))
        #expect(lost > 0)
        #expect(lines.count - 2 + lost == 1_000_000)
        let fields = lines[1].split(separator: "\t")
        #expect(fields[2...] == ["-", "98", "eth0", "dns", "dropped", "queueFull"])
        let arrival = try #require(Double(fields[0])), due = try #require(Double(fields[1]))
        #expect(abs(due - arrival - 0.5) < 1e-8)
        #expect(fields[0].split(separator: ".")[1].count == 9)
    }

    private func text(of file: Int32) -> String {
        let size = Int(lseek(file, 0, SEEK_END))
        lseek(file, 0, SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: size)
        #expect(read(file, &bytes, size) == size)
        return String(decoding: bytes, as: UTF8.self)
    }
}
