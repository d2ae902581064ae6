// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import Glibc
import LinkProfiles
import TestKit
import Testing

@testable import Sandboxing

@Suite struct RunEventsTests {
    private func lines(_ events: RunEvents, from number: Int = 0, size: Int = 1 << 20) -> [JSON]? {
        guard case .lines(let bytes, _) = events.read(from: number, size: size) else { return nil }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { try? JSON(utf8: $0) }
    }

    private func names(_ lines: [JSON]?) -> [String] {
        (lines ?? []).compactMap { $0["event"].flatMap { String(json: $0) } }
    }

    @Test func givesALateReaderEverything() throws {
        let events = RunEvents()
        let before = RealTime.now
        events.post(.begin)
        events.post(.step("in the lift", profile: "Black Hole"))
        events.post(.mark("a \"b\" \u{1B}"))
        events.post(.missed("out", waitingFor: "10 kB"))
        events.post(.end)
        let read = try #require(lines(events))
        #expect(names(read) == ["begin", "step", "mark", "missed", "end"])
        #expect(read[1]["label"].flatMap { String(json: $0) } == "in the lift")
        #expect(read[1]["profile"].flatMap { String(json: $0) } == "Black Hole")
        #expect(read[2]["name"].flatMap { String(json: $0) } == "a \"b\" \u{1B}")
        #expect(read[3]["for"].flatMap { String(json: $0) } == "10 kB")
        let times: [Int64] = read.compactMap { $0.required("time") }
        #expect(times.count == 5)
        #expect(times == times.sorted())
        #expect(times.allSatisfy { (before...RealTime.now).contains($0) })
    }

    @Test func givesOnlyWhatIsNew() {
        let events = RunEvents()
        #expect(events.read(from: 0, size: 100) == .nothing)
        for number in 0..<5 { events.post(.mark("\(number)")) }
        guard case .lines(_, let next) = events.read(from: 0, size: 1) else {
            Issue.record("nothing read")
            return
        }
        #expect(next == 1)
        #expect(names(lines(events, from: next)).count == 4)
        #expect(events.read(from: 5, size: 100) == .nothing)
    }

    @Test func tellsAReaderThatItIsTooLate() {
        let events = RunEvents(limit: 1000)
        for number in 0..<5000 { events.post(.mark("\(number)")) }
        #expect(events.read(from: 0, size: 100) == .lost)
        #expect(events.read(from: 4900, size: 100) == .lost)
        let latest = lines(events, from: 4995) ?? []
        #expect(latest.compactMap { $0["name"].flatMap { String(json: $0) } } == (4995..<5000).map(String.init))
    }

    @Test func callsItsWatchersUntilTheyLeave() {
        let events = RunEvents()
        let count = Counter()
        let watcher = events.watch { count.increment() }
        events.post(.begin)
        events.post(.end)
        events.unwatch(watcher)
        events.post(.end)
        #expect(count.value == 2)
    }

    /// The reset of an open connection by a step comes after the step's time, and before it is known that it took effect.
    @Test func maySayThatSomethingBeganEarlier() throws {
        let events = RunEvents()
        let start = Instant.now
        events.post(.mark("meanwhile"))
        events.post(.step("cut", profile: "Broken"), at: start)
        let read = try #require(lines(events))
        #expect(names(read) == ["mark", "step"] && read[1].required("time") == start.nanoseconds)
    }

    @Test func keepsLinesOfManyThreadsWhole() async throws {
        let events = RunEvents()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { for _ in 0..<500 { events.post(.mark("\(number)")) } }
            }
        }
        let read = try #require(lines(events))
        #expect(read.count == 4000)
        let times: [Int64] = read.compactMap { $0.required("time") }
        #expect(times == times.sorted())
    }
}

/// A count that several threads may change.
private final class Counter: @unchecked Sendable {
    private(set) var value = 0
    func increment() { value += 1 }
}

private enum RealTime {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
