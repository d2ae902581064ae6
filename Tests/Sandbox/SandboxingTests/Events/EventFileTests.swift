// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import Glibc
import LinkProfiles
import LinuxSystem
import TestKit
import Testing

@testable import Sandboxing

@Suite struct EventFileTests {
    /// The events in a file, in order.
    private func events(_ descriptor: CInt) -> [String] {
        var text: [UInt8] = []
        Descriptors.read(descriptor) { text += $0 }
        return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            (try? JSON(utf8: Array(line)))?["event"].flatMap { String(json: $0) }
        }
    }

    @Test func appendsALineForEachEvent() throws {
        let memory = try Descriptors.memory(named: "events")
        defer { close(memory) }
        let events = RunEvents(file: EventFile(memory))
        events.post(.begin)
        events.post(.mark("here"))
        #expect(self.events(memory) == ["begin", "mark"])
    }

    @Test func endsAtItsLimitAndSaysSo() throws {
        let memory = try Descriptors.memory(named: "events")
        defer { close(memory) }
        let (file, other) = (EventFile(memory, limit: 1000), EventFile(memory, limit: 1000))
        for _ in 0..<1000 {
            file.append(.mark("here"))
            other.append(.mark("here"))
        }
        #expect(file.problem == .full && other.problem == .full)
        #expect(events(memory).dropLast(2).allSatisfy { $0 == "mark" })
        #expect(events(memory).suffix(2) == ["cut", "cut"])
        #expect(lseek(memory, 0, SEEK_END) < 1200)
    }

    /// A file system that is full for a while: nothing that comes later may hide what is missing.
    @Test func saysThatALineIsMissingBeforeTheNextOne() throws {
        let memory = try Descriptors.memory(named: "events")
        defer { close(memory) }
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        // The number of the file stays, and what is behind it changes.
        let descriptor = dup(memory)
        defer { close(descriptor) }
        let file = EventFile(descriptor)
        file.append(.mark("here"))
        dup2(full, descriptor)
        close(full)
        file.append(.mark("here"))
        #expect(file.problem == .refused(ENOSPC))
        dup2(memory, descriptor)
        file.append(.sampled)
        #expect(events(memory) == ["mark", "cut", "sampled"])
        #expect(file.problem == .refused(ENOSPC))
        var reader = RunRecordReader(
            started: Instant(nanoseconds: 0),
            ended: Instant(nanoseconds: 9),
            outcome: .exited(0)
        )
        Descriptors.read(memory) { reader.append($0) }
        #expect(reader.finish().shortfall == .eventsMissing)
    }
}
