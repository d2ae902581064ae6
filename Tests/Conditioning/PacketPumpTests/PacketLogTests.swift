// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation
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
        #expect(lines.first == "arrival\tdue\tdeparture\tbytes\tdevice\tlane\tfate\treason\tmade")
        let last = try #require(lines.last)
        let lost = try #require(Int(last.split(separator: " ")[2]))
        #expect(lost > 0)
        #expect(lines.count - 2 + lost == 1_000_000)
        let fields = lines[1].split(separator: "\t")
        #expect(fields[2...] == ["-", "98", "eth0", "dns", "dropped", "queueFull", "-"])
        let arrival = try #require(Double(fields[0])), due = try #require(Double(fields[1]))
        #expect(abs(due - arrival - 0.5) < 1e-8)
        #expect(fields[0].split(separator: ".")[1].count == 9)
    }

    private static let packet = RecordedPacket(arrival: lc_monotonic_time(), due: 0, counted: 98, kind: .packet)

    /// Whether the pipe blocks or not: its other end may be a program that has stopped.
    @Test(arguments: [0, O_NONBLOCK])
    func endsWithoutAReaderAndSaysWhatItLost(flags: CInt) throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        _ = fcntl(ends[1], F_SETFL, flags)
        let log = try PacketLog(descriptor: ends[1], device: "eth0")
        for _ in 0..<5000 { log.recorder.add(Self.packet) }
        let problem = try #require(log.finish())
        // What is in the pipe are whole lines.
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(ends[0], &bytes, bytes.count)
        try #require(count > 0 && bytes[count - 1] == 10)
        let lines = bytes[..<count].count { $0 == 10 } - 1
        #expect(
            problem == "the log ends early: its reader does not go on; \(5000 - lines) lines of eth0 are missing"
        )
    }

    @Test func waitsForASlowReader() throws {
        // One that does not go on for a quarter of a second counts as gone, which may happen on a busy machine.
        let isWhole = try (0..<20).contains { _ in try logsAllToASlowReader() }
        #expect(isWhole)
    }

    private func logsAllToASlowReader() throws -> Bool {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        // Its own, which it has until it ends: the number of a closed one may be another test's.
        let source = dup(ends[0])
        let reader = Thread {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while read(source, &bytes, bytes.count) > 0 { usleep(2000) }
            close(source)
        }
        reader.start()
        let log = try PacketLog(descriptor: ends[1], device: "eth0")
        for _ in 0..<5000 { log.recorder.add(Self.packet) }
        return log.finish() == nil
    }
}
