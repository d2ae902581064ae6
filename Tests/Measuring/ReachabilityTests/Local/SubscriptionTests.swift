// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import LocalNetwork

@Suite struct SubscriptionTests {
    private var table = LinkTable(facts: { _ in DeviceFacts() })

    private func subscribers() -> Subscribers<LocalUpdate> { Subscribers(current: LocalUpdate(state: table.state)) }

    /// The state after a change, and the event.
    private mutating func change(_ number: Int) -> (LocalState, [LinkEvent]) {
        let events = table.apply(.link(KernelWords.link(2, "eth\(number)")), at: .zero)
        return (table.state, events)
    }

    @Test mutating func joinsWhatASlowReaderHasNotRead() async throws {
        let subscribers = subscribers()
        let subscription = subscribers.add(LocalUpdate.coalescing(limit: 3))
        for number in 0..<10 {
            let (state, events) = change(number)
            subscribers.publish(state, events)
        }
        let update = try #require(await subscription.next())
        #expect(update.state == table.state)
        #expect(update.events.map(\.sequence) == [8, 9, 10])
        #expect(update.missedEvents == 7)
        #expect(subscription.dequeue() == nil)
        let (state, events) = change(10)
        subscribers.publish(state, events)
        #expect(subscription.dequeue()?.missedEvents == 0)
    }

    @Test mutating func tellsEverySubscriberEverything() async throws {
        let subscribers = subscribers()
        let subscriptions = (0..<3).map { _ in subscribers.add(LocalUpdate.coalescing(limit: 100)) }
        let (state, events) = change(0)
        subscribers.publish(state, events)
        subscribers.remove(subscriptions[2])
        let (later, moreEvents) = change(1)
        subscribers.publish(later, moreEvents)
        #expect(subscriptions.map { $0.dequeue()?.events.map(\.sequence) } == [[1, 2], [1, 2], [1]])
    }

    @Test mutating func wakesAReaderThatWaits() async throws {
        let subscribers = subscribers()
        let subscription = subscribers.add(LocalUpdate.coalescing(limit: 100))
        #expect(await subscription.next()?.events == [])
        async let next = subscription.next()
        let (state, events) = change(0)
        subscribers.publish(state, events)
        #expect(await next?.events == events)
    }

    @Test mutating func deliversWhatWaitsAndThenEnds() async throws {
        let subscribers = subscribers()
        let subscription = subscribers.add(LocalUpdate.coalescing(limit: 100))
        subscribers.finish()
        let (state, events) = change(0)
        subscribers.publish(state, events)
        #expect(await subscription.next()?.events == [])
        #expect(await subscription.next() == nil)
        #expect(await subscribers.add(LocalUpdate.coalescing(limit: 100)).next() == nil)
    }

    @Test func callsNoHandlerAfterTheEnd() {
        let subscribers = subscribers()
        _ = subscribers.add(LocalUpdate.coalescing(limit: 100)) { _ in
            true
        } handler: { _ in
            Issue.record("called after the end")
        }
        subscribers.callHandlers { true }
    }
}

@Suite struct RecheckScheduleTests {
    @Test func readsSoonAndOnceMore() {
        var schedule = RecheckSchedule()
        #expect(schedule.next == nil)
        schedule.doubt([.ipv4], at: .seconds(1))
        #expect(schedule.next == .milliseconds(1005))
        #expect(schedule.dequeueDue(at: .milliseconds(1004)) == [])
        #expect(schedule.dequeueDue(at: .milliseconds(1005)) == [.ipv4])
        #expect(schedule.next == .milliseconds(1150))
        #expect(schedule.dequeueDue(at: .milliseconds(1150)) == [.ipv4])
        #expect(schedule.next == nil)
    }

    /// Else it would never be read while doubts keep coming.
    @Test func doesNotPutOffWhatIsDue() {
        var schedule = RecheckSchedule()
        for time in 0..<5 { schedule.doubt([.ipv4, .ipv6], at: .milliseconds(1000 + time)) }
        #expect(schedule.dequeueDue(at: .milliseconds(1005)) == [.ipv4, .ipv6])
        #expect(schedule.next == .milliseconds(1154))
    }

    @Test func restsAfterALongReading() {
        var schedule = RecheckSchedule()
        schedule.read(from: .milliseconds(900), to: .milliseconds(1000))
        schedule.doubt([.ipv4], at: .milliseconds(1001))
        #expect(schedule.next == .milliseconds(2000))
    }
}

extension Subscribers<LocalUpdate> {
    fileprivate func publish(_ state: LocalState, _ events: [LinkEvent]) {
        publish(LocalUpdate(state: state, events: events), current: LocalUpdate(state: state))
    }
}
