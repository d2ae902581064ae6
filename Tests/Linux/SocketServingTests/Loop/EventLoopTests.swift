// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

@testable import SocketServing

@Suite final class EventLoopTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop.start() }

    deinit { loop.stop() }

    @Test func callsBodiesOfAThreadInTheirOrderOnItsOwn() throws {
        let record = try LoopRecord<Int>()
        for number in 0..<1000 {
            loop.execute { [loop] in record.add(loop.isCurrent ? number : -1) }
        }
        #expect(try record.first(1000) == Array(0..<1000))
        #expect(!loop.isCurrent)
        let isCurrent = try loop.perform { [loop] in loop.isCurrent }
        #expect(isCurrent)
    }

    @Test func callsABodyOfItsOwnInALaterTurn() throws {
        let record = try LoopRecord<String>()
        loop.execute { [loop] in
            loop.execute { record.add("later") }
            record.add("first")
        }
        #expect(try record.first(2) == ["first", "later"])
    }

    @Test func servesThreadsAtTheSameTime() throws {
        let record = try LoopRecord<Int>()
        let threads = try (0..<4).map { thread in
            try PosixThread.start { [loop] in
                for number in 0..<500 { loop.execute { record.add(thread * 1000 + number) } }
            }
        }
        for thread in threads { thread.join() }
        let all = try record.first(2000)
        for thread in 0..<4 {
            #expect(all.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
        }
    }

    @Test func callsTimersInTheOrderOfTheirTimes() throws {
        let record = try LoopRecord<Int>()
        try loop.perform { [loop] in
            for delay in [30, 10, 0, 20, -5, 10] { loop.schedule(after: .milliseconds(delay)) { record.add(delay) } }
        }
        #expect(try record.first(6) == [0, -5, 10, 10, 20, 30])
    }

    @Test func isNeverEarly() throws {
        let record = try LoopRecord<Duration>()
        for delay in [1, 3, 17].map({ Duration.milliseconds($0) }) {
            let start = Duration.reading(CLOCK_MONOTONIC)
            loop.execute { [loop] in
                loop.schedule(after: delay) { record.add(.reading(CLOCK_MONOTONIC) - start - delay) }
            }
        }
        #expect(try record.first(3).allSatisfy { $0 >= .zero })
    }

    @Test func setsAnEarlierTimeBesideALaterOne() throws {
        let record = try LoopRecord<String>()
        try loop.perform { [loop] in _ = loop.schedule(after: .seconds(1_000_000_000_000)) { record.add("late") } }
        try loop.perform { [loop] in _ = loop.schedule(after: .milliseconds(1)) { record.add("early") } }
        #expect(try record.first(1) == ["early"])
    }

    @Test func callsNoCancelledTimer() throws {
        let record = try LoopRecord<Int>()
        try loop.perform { [loop] in
            // More than wait for their time.
            for number in 0..<5000 {
                let timer = loop.schedule(after: .milliseconds(5)) { record.add(number) }
                if number % 1000 != 0 { timer.cancel() }
                timer.cancel()
                if number % 1000 == 0 { loop.schedule(after: .milliseconds(6)) { record.add(-number) } }
            }
            loop.schedule(after: .milliseconds(50)) { record.add(9999) }
        }
        #expect(try record.first(6) == [0, -1000, -2000, -3000, -4000, 9999])
    }

    /// One that sets itself again for now would otherwise be the only one.
    @Test func servesOthersBetweenTimersThatAreDue() throws {
        let record = try LoopRecord<Int>()
        loop.execute { [loop] in
            func again() {
                if record.all.isEmpty { loop.schedule(after: .zero, again) }
            }
            again()
        }
        try loop.perform {}
        loop.execute { record.add(1) }
        #expect(try record.first(1) == [1])
    }

    @Test func tellsAgainOfADescriptorThatStaysReady() throws {
        let pair = try SocketPair()
        let record = try LoopRecord<Readiness>()
        try loop.perform { [loop] in _ = Owner(pair.served, on: loop) { _, readiness in record.add(readiness) } }
        try pair.send("x")
        #expect(try record.first(5).prefix(5).allSatisfy { $0 == .readable })
    }

    @Test func watchesForWhatIsOfInterest() throws {
        let pair = try SocketPair()
        let record = try LoopRecord<Readiness>()
        let owner = try loop.perform { [loop] in
            LoopBound(
                Owner(pair.served, on: loop, interest: []) { owner, readiness in
                    record.add(readiness)
                    owner.watch?.interest = []
                },
                on: loop
            )
        }
        try pair.send("x")
        try loop.perform {}
        #expect(record.all.isEmpty)
        try loop.perform { owner.value.watch?.interest = [.readable, .writable] }
        #expect(try record.first(1) == [[.readable, .writable]])
        try loop.perform { owner.value.watch?.interest = .writable }
        #expect(try record.first(2) == [[.readable, .writable], .writable])
    }

    /// The kernel gives the number of a closed descriptor to the next one, while the loop still has an event of the first.
    @Test func tellsNoOwnerOfAnothersEvent() throws {
        let (first, second, third) = (try SocketPair(), try SocketPair(), try SocketPair())
        defer { close(third.served) }
        let record = try LoopRecord<String>()
        try loop.perform { [loop] in
            nonisolated(unsafe) var owners: [Owner] = []
            for pair in [first, second] {
                owners.append(
                    Owner(pair.served, on: loop) { owner, _ in
                        record.add("served")
                        guard let other = owners.first(where: { $0 !== owner }) else { return }
                        _ = Owner(other.replace(by: third.served), on: loop) { _, _ in record.add("wrong") }
                        owner.close()
                    }
                )
            }
            // Both are ready in the same turn.
            try? first.send("x")
            try? second.send("x")
        }
        #expect(try record.first(1) == ["served"])
        try loop.perform {}
        #expect(record.all == ["served"])
    }

    @Test func endsWithItsDescriptors() throws {
        let pair = try SocketPair()
        let record = try LoopRecord<String>()
        try loop.perform { [loop] in
            _ = Owner(pair.served, on: loop) { _, _ in }
            loop.schedule(after: .zero) { record.add("timer") }
        }
        _ = try record.first(1)
        try loop.perform { [loop] in _ = loop.schedule(after: .seconds(1)) { record.add("late timer") } }
        loop.stopAndWait()
        #expect(try pair.receive().isEmpty)
        #expect(throws: SystemError.self) { try loop.perform {} }
        loop.execute { record.add("body") }
        #expect(record.all == ["timer"])
    }

    @Test func doesWhatWasAskedBeforeItsEnd() throws {
        let record = try LoopRecord<Int>()
        let (waits, mayGoOn) = (try EventFD(), try EventFD())
        loop.execute {
            waits.signal()
            Wait.untilReadable([mayGoOn.descriptor])
        }
        Wait.untilReadable([waits.descriptor])
        loop.stop()
        loop.execute { record.add(1) }
        mayGoOn.signal()
        #expect(try record.first(1) == [1])
    }
}

/// A descriptor whose readiness is told to a closure.
private final class Owner: DescriptorOwner {
    private(set) var watch: DescriptorWatch?
    private let body: (Owner, Readiness) -> Void

    init(
        _ descriptor: CInt,
        on loop: EventLoop,
        interest: Readiness = .readable,
        _ body: @escaping (Owner, Readiness) -> Void
    ) {
        self.body = body
        watch = try? loop.watch(descriptor, for: interest, owner: self)
    }

    func descriptorIsReady(_ readiness: Readiness) { body(self, readiness) }

    func loopHasEnded() { close() }

    func close() {
        guard let watch else { return }
        self.watch = nil
        watch.end()
        Glibc.close(watch.descriptor)
    }

    /// Ends the watch, and gives its descriptor's number to a copy of another: in one step, since other threads of the tests
    /// open descriptors meanwhile.
    func replace(by other: CInt) -> CInt {
        guard let watch else { return -1 }
        self.watch = nil
        watch.end()
        return dup2(other, watch.descriptor)
    }
}
