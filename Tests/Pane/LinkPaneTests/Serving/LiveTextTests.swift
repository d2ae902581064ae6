// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinuxSystem
import SocketServing
import Synchronization
import TestKit
import Testing

@testable import LinkPane

@Suite struct LiveTextTests {
    @Test func numbersEachChange() throws {
        var texts = ["{}", "{}", #"{"a":1}"#, "{}"]
        let live = LiveText { Array(texts.removeFirst().utf8) }
        let versions = (0..<4).map { _ in live.next() }
        #expect(versions.map(\.number) == [1, 1, 2, 3])
        let json = try JSON(utf8: versions[2].text)
        #expect(json.members.map(\.name) == ["number", "time", "a"])
        #expect(try #require(json["time"].flatMap { Double($0.line) }) > 1_700_000_000)
        #expect(try JSON(utf8: versions[3].text).members.map(\.name) == ["number", "time"])
    }

    @Test func isRenewedOnlyWhileAClientWaits() throws {
        let clients = try LiveClients(numbers: 1, 2)
        #expect(try clients.ask(after: 0) == 1)
        usleep(400_000)
        #expect(clients.renewals == 1)
        // What was renewed for an earlier client is old by now.
        #expect(try clients.ask(after: 0) == 2)
        #expect(clients.renewals == 2)
    }

    @Test func answersAnUnchangedTextAfterASecond() throws {
        let clients = try LiveClients(numbers: 1)
        #expect(try clients.ask(after: 0) == 1)
        let start = ContinuousClock.now
        #expect(try clients.ask(after: 1) == 1)
        #expect(start.duration(to: .now) >= LiveWaiters.longestWait)
    }

    @Test func isRenewedTenTimesASecondAtMost() throws {
        let clients = try LiveClients(numbers: Array(1...100))
        let start = ContinuousClock.now
        var number = 0
        for _ in 0..<8 { number = try #require(try clients.ask(after: number)) }
        #expect(number >= 8)
        #expect(start.duration(to: .now) >= .milliseconds(100) * (clients.renewals - 1))
    }

    @Test func isRenewedLessOftenWhereRenewalsCostMuch() throws {
        let clients = try LiveClients(numbers: Array(1...100), cost: .milliseconds(100))
        let start = ContinuousClock.now
        var number = 0
        for _ in 0..<5 { number = try #require(try clients.ask(after: number)) }
        // With four pauses of 100 ms, they would take 0.4 s; the longest pause has 0.3 s.
        #expect(start.duration(to: .now) >= .milliseconds(800))
    }

    @Test func isNotGivenFasterToAClientThatForgetsItsNumber() throws {
        let clients = try LiveClients(numbers: 1)
        let start = ContinuousClock.now
        for _ in 0..<4 { #expect(try clients.ask(after: -1) == 1) }
        #expect(start.duration(to: .now) >= .milliseconds(300))
    }

    /// As after a restart of the pane at the same port.
    @Test func answersAClientWithTheNumberOfAnotherPane() throws {
        let clients = try LiveClients(numbers: 1)
        #expect(try clients.ask(after: 1_000_000) == 1)
        let start = ContinuousClock.now
        #expect(try clients.ask(after: 1_000_000) == 1)
        #expect(start.duration(to: .now) < LiveWaiters.longestWait)
    }
}

/// Clients of a live text whose renewals have given numbers; the last one stays.
private final class LiveClients {
    /// Used on the loop's thread.
    private final class Waiting {
        var numbers: [Int]
        let cost: Duration
        var waiters: LiveWaiters?

        init(_ numbers: [Int], _ cost: Duration) { (self.numbers, self.cost) = (numbers, cost) }

        func renew() {
            waiters?.renewed(LiveText.Version(number: numbers[0], text: [], cost: cost))
            if numbers.count > 1 { numbers.removeFirst() }
        }
    }

    private let loop: EventLoop
    private let waiting: LoopBound<Waiting>
    private let count = Counter()

    private final class Counter: Sendable {
        let value = Mutex(0)
    }

    convenience init(numbers: Int...) throws { try self.init(numbers: numbers) }

    /// - Parameter cost: the time that each renewal says to have had of a processor.
    init(numbers: [Int], cost: Duration = .zero) throws {
        let loop = try EventLoop.start()
        self.loop = loop
        waiting = try loop.perform { [count] in
            let waiting = Waiting(numbers, cost)
            waiting.waiters = LiveWaiters(on: loop) { [weak waiting] in
                count.value.withLock { $0 += 1 }
                loop.schedule(after: .zero) { waiting?.renew() }
            }
            return LoopBound(waiting, on: loop)
        }
    }

    deinit { loop.stop() }

    var renewals: Int { count.value.withLock { $0 } }

    /// Waits for a text, and returns its number; nil if there is none.
    func ask(after number: Int) throws -> Int? {
        let (answer, isThere) = (Answer(), try EventFD())
        waiting.execute { waiting in
            waiting.waiters?.wait(after: number) { version in
                answer.number.withLock { $0 = version?.number }
                isThere.signal()
            }
        }
        try #require(Wait.untilReadable([isThere.descriptor], limit: .seconds(60)), "no answer")
        return answer.number.withLock { $0 }
    }

    private final class Answer: Sendable {
        let number = Mutex<Int?>(nil)
    }
}
