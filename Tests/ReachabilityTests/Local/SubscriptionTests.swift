// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import LocalNetwork

@Suite struct SubscriptionTests {
    private var table = LinkTable(facts: { _ in DeviceFacts() })

    /// The state after a change, and the event.
    private mutating func change(_ number: Int) -> (LocalState, [LinkEvent]) {
        let events = table.apply(.link(KernelWords.link(2, "eth\(number)")), at: .zero)
        return (table.state, events)
    }

    @Test mutating func joinsWhatASlowReaderHasNotRead() async throws {
        let audience = Audience(table.state)
        let mailbox = audience.join(limit: 3)
        for number in 0..<10 {
            let (state, events) = change(number)
            audience.publish(state, events)
        }
        let update = try #require(await mailbox.next())
        #expect(update.state == table.state)
        #expect(update.events.map(\.sequence) == [8, 9, 10])
        #expect(update.missedEvents == 7)
        #expect(mailbox.take() == nil)
        let (state, events) = change(10)
        audience.publish(state, events)
        #expect(mailbox.take()?.missedEvents == 0)
    }

    @Test mutating func tellsEverySubscriberEverything() async throws {
        let audience = Audience(table.state)
        let mailboxes = (0..<3).map { _ in audience.join(limit: 100) }
        let (state, events) = change(0)
        audience.publish(state, events)
        audience.leave(mailboxes[2])
        let (later, moreEvents) = change(1)
        audience.publish(later, moreEvents)
        #expect(mailboxes.map { $0.take()?.events.map(\.sequence) } == [[1, 2], [1, 2], [1]])
    }

    @Test mutating func wakesAReaderThatWaits() async throws {
        let audience = Audience(table.state)
        let mailbox = audience.join(limit: 100)
        #expect(await mailbox.next()?.events == [])
        async let next = mailbox.next()
        let (state, events) = change(0)
        audience.publish(state, events)
        #expect(await next?.events == events)
    }

    @Test mutating func deliversWhatWaitsAndThenEnds() async throws {
        let audience = Audience(table.state)
        let mailbox = audience.join(limit: 100)
        audience.dismiss()
        let (state, events) = change(0)
        audience.publish(state, events)
        #expect(await mailbox.next()?.events == [])
        #expect(await mailbox.next() == nil)
        #expect(await audience.join(limit: 100).next() == nil)
    }

    @Test func callsNobodyOnceItIsOver() {
        let audience = Audience(table.state)
        _ = audience.join(limit: 100) { _ in Issue.record("called after the end") }
        audience.callHandlers { true }
    }
}

@Suite struct RecheckScheduleTests {
    @Test func readsSoonAndOnceMore() {
        var schedule = RecheckSchedule()
        #expect(schedule.next == nil)
        schedule.doubt([.ipv4], at: .seconds(1))
        #expect(schedule.next == .milliseconds(1005))
        #expect(schedule.takeDue(at: .milliseconds(1004)) == [])
        #expect(schedule.takeDue(at: .milliseconds(1005)) == [.ipv4])
        #expect(schedule.next == .milliseconds(1150))
        #expect(schedule.takeDue(at: .milliseconds(1150)) == [.ipv4])
        #expect(schedule.next == nil)
    }

    /// Else it would never be read while doubts keep coming.
    @Test func doesNotPutOffWhatIsDue() {
        var schedule = RecheckSchedule()
        for time in 0..<5 { schedule.doubt([.ipv4, .ipv6], at: .milliseconds(1000 + time)) }
        #expect(schedule.takeDue(at: .milliseconds(1005)) == [.ipv4, .ipv6])
        #expect(schedule.next == .milliseconds(1154))
    }

    @Test func restsAfterALongReading() {
        var schedule = RecheckSchedule()
        schedule.read(from: .milliseconds(900), to: .milliseconds(1000))
        schedule.doubt([.ipv4], at: .milliseconds(1001))
        #expect(schedule.next == .milliseconds(2000))
    }
}
