// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation
import Netlink
import Synchronization
import TestKit
import Testing

@testable import LocalNetwork
@testable import Probing
@testable import Reachability

@Suite struct ReachabilityMonitorTests {
    private let prober = FakeProber()
    private let one = Target.tcp(.init("192.0.2.1", 80))

    private func monitor(
        _ prober: FakeProber? = nil,
        _ change: (inout Policy) -> Void = { _ in }
    ) -> ReachabilityMonitor {
        var policy = Policy()
        (policy.interval, policy.fastInterval, policy.downInterval) = (
            .milliseconds(20), .milliseconds(20), .milliseconds(20)
        )
        policy.flapSuppress = .infinity
        change(&policy)
        return ReachabilityMonitor(policy: policy, prober: prober ?? self.prober, local: nil)
    }

    /// The first event for which `isMeant` is true.
    private func first(_ events: Events, where isMeant: (Event) -> Bool) async -> Event? {
        for await event in events where isMeant(event) { return event }
        return nil
    }

    /// Waits for as long as it takes another monitor to probe a target ten times, which is longer on a busy machine.
    private func pause() async {
        let prober = FakeProber()
        let monitor = monitor(prober)
        let iterator = monitor.events(of: [one]).makeAsyncIterator()
        await prober.answers(10)
        monitor.shutDown()
        withExtendedLifetime(iterator) {}
    }

    @Test func beginsEachSubscriptionWithHowThingsStand() async throws {
        let monitor = monitor()
        var early = monitor.events(of: [one, one]).makeAsyncIterator()
        let start = try #require(await early.next())
        #expect(start.kind == .initial)
        #expect(start.status?.state == .unknown)
        #expect(await early.next()?.kind == .stateChanged(from: .unknown))
        var late = monitor.events(of: [one]).makeAsyncIterator()
        let event = try #require(await late.next())
        #expect(event.kind == .initial)
        #expect(event.status?.state == .reachable)
        var all = monitor.events.makeAsyncIterator()
        #expect(await all.next()?.target == one)
    }

    @Test func sharesProbesAmongAllWhoWatch() async {
        // Longer than the tests beside may keep this one from its thread.
        let monitor = monitor(nil) { $0.interval = .seconds(3600) }
        let iterators = (0..<5).map { _ in monitor.events(of: [one]).makeAsyncIterator() }
        _ = await monitor.firstStatus(of: one, within: HangLimit.duration)
        await pause()
        // The first leaves the verdict in the balance for one more.
        // One for each of the five would be five.
        #expect((1..<5).contains(prober.count))
        withExtendedLifetime(iterators) {}
    }

    @Test func sendsNothingWithoutASubscription() async {
        let monitor = monitor()
        let all = monitor.events.makeAsyncIterator()
        await pause()
        #expect(prober.count == 0)
        do {
            let iterator = monitor.events(of: [one]).makeAsyncIterator()
            await prober.answers(3)
            withExtendedLifetime(iterator) {}
        }
        let count = prober.count
        await pause()
        #expect(prober.count <= count + 1)
        withExtendedLifetime(all) {}
    }

    @Test func answersQueriesWithoutASubscription() async {
        let monitor = monitor()
        #expect(monitor.status(of: one).state == .unknown)
        await prober.answers(monitor.policy.rise + 1)
        #expect(monitor.status(of: one).state == .reachable)
        prober.show(.failed(.refused))
        // One may have been asked before.
        await prober.answers(monitor.policy.fall + 1)
        #expect(monitor.status(of: one).reason == .refused)
        #expect(await monitor.firstStatus(of: one, within: HangLimit.duration).state == .unreachable)
    }

    @Test func callsNoHandlerAfterItWasTakenAway() async {
        let monitor = monitor(nil) { $0.fall = 1 }
        let iterator = monitor.events(of: [one]).makeAsyncIterator()
        for round in 0..<50 {
            let isOver = Atomic(false)
            let late = Atomic(0)
            let flag = Box(isOver: isOver, late: late)
            monitor.setHandler { _ in
                if flag.isOver.load(ordering: .sequentiallyConsistent) { flag.late.add(1, ordering: .relaxed) }
            }
            prober.show(round.isMultiple(of: 2) ? .failed(.refused) : .answered(.milliseconds(1)))
            try? await Task.sleep(for: .milliseconds(round % 7))
            monitor.setHandler(nil)
            flag.isOver.store(true, ordering: .sequentiallyConsistent)
            try? await Task.sleep(for: .milliseconds(2))
            #expect(flag.late.load(ordering: .relaxed) == 0)
        }
        withExtendedLifetime(iterator) {}
    }

    private final class Box: Sendable {
        let isOver: Atomic<Bool>
        let late: Atomic<Int>
        init(isOver: consuming Atomic<Bool>, late: consuming Atomic<Int>) {
            self.isOver = isOver
            self.late = late
        }
    }

    @Test func letsAHandlerReplaceItself() async {
        let monitor = monitor()
        let iterator = monitor.events(of: [one]).makeAsyncIterator()
        let (stream, words) = AsyncStream.makeStream(of: String.self)
        monitor.setHandler { [weak monitor] _ in
            words.yield("first")
            monitor?.setHandler { _ in words.yield("second") }
        }
        var seen: [String] = []
        for await word in stream {
            seen.append(word)
            if word == "second" { break }
        }
        #expect(seen == ["first", "second"])
        monitor.setHandler(nil)
        withExtendedLifetime(iterator) {}
    }

    @Test func tellsNothingToACancelledTask() async {
        let monitor = monitor()
        let events = monitor.events(of: [one], samples: true)
        let task = Task { () -> Int in
            var late = 0
            for await _ in events where Task.isCancelled { late += 1 }
            return late
        }
        await prober.answers(3)
        task.cancel()
        // It may have been given one at the time.
        #expect(await task.value <= 1)
    }

    @Test func countsWhatASlowReaderMisses() async throws {
        let monitor = monitor()
        var iterator = monitor.events(of: [one], samples: true, limit: 3).makeAsyncIterator()
        await prober.answers(12)
        let gap = try #require(await iterator.next())
        guard case .dropped(let count) = gap.kind else { return #expect(Bool(false), "\(gap.kind)") }
        #expect(count >= 9)
        let next = try #require(await iterator.next())
        // Nothing between the gap and what follows.
        #expect(next.sequence == gap.sequence + 1)
        monitor.shutDown()
        var last: Event?
        while let event = await iterator.next() { last = event }
        #expect(last?.kind == .ended)
    }

    @Test func endsEveryStream() async {
        let monitor = monitor()
        var iterators = [monitor.events(of: [one]).makeAsyncIterator(), monitor.events.makeAsyncIterator()]
        monitor.shutDown()
        for index in iterators.indices {
            var last: Event?
            while let event = await iterators[index].next() { last = event }
            #expect(last?.kind == .ended)
        }
        let count = prober.count
        #expect(monitor.status(of: one).state == .unknown)
        await pause()
        #expect(prober.count <= count + 1)
        var late = monitor.events(of: [one]).makeAsyncIterator()
        #expect(await late.next()?.kind == .ended)
        #expect(await late.next() == nil)
    }

    @Test func diesWithItsLastHolder() async {
        weak var gone: ReachabilityMonitor?
        do {
            let monitor = monitor()
            gone = monitor
            _ = await monitor.firstStatus(of: one, within: HangLimit.duration)
        }
        #expect(await HangLimit.awaits { gone == nil })
        let count = prober.count
        await pause()
        #expect(prober.count == count)
    }

    @Test func suspendsAllWhenItIsCutOffItself() async throws {
        let anchor = Target.icmp("192.0.2.9")
        let monitor = monitor(nil) { $0.anchors = [anchor] }
        let events = monitor.events(of: [anchor, one])
        var iterator = events.makeAsyncIterator()
        while let event = await iterator.next(), event.status?.target != one || event.status?.state != .reachable {}
        prober.show(.failed(.blackHole), for: .icmp(IPAddress(literal: "192.0.2.9")))
        #expect(await HangLimit.awaits { monitor.status(of: anchor).state == .unreachable })
        await prober.answers(20)
        #expect(monitor.status(of: anchor).state == .unreachable)
        #expect(monitor.status(of: one).state == .reachable)
        prober.show(.failed(.blackHole))
        #expect(await HangLimit.awaits { monitor.status(of: one).state == .suspended })
        #expect(monitor.status(of: one).reason == .offline)
        prober.show(.answered(.milliseconds(1)), for: .icmp(IPAddress(literal: "192.0.2.9")))
        #expect(await HangLimit.awaits { monitor.status(of: one).reason == .blackHole })
        withExtendedLifetime(iterator) {}
    }

    @Test func namesOneCauseForManyServicesOfAHost() async throws {
        let host = Target.icmp("192.0.2.1")
        let services = [UInt16(80), 81, 82].map { Target.tcp(.init("192.0.2.1", $0)) }
        let monitor = monitor()
        let events = monitor.events(of: [host] + services)
        let iterator = events.makeAsyncIterator()
        for target in [host] + services { _ = await monitor.firstStatus(of: target, within: HangLimit.duration) }
        prober.show(.failed(.blackHole))
        let found = await first(events) { if case .causeFound = $0.kind { true } else { false } }
        guard case .causeFound(let cause, let children)? = found?.kind else { return #expect(Bool(false)) }
        #expect(cause == host)
        #expect(Set(children).isSubset(of: Set(services)))
        for target in services { #expect(await HangLimit.awaits { monitor.status(of: target).cause == host }) }
        #expect(monitor.status(of: host).cause == nil)
        withExtendedLifetime(iterator) {}
    }

    @Test func takesAClockThatIsSetForNoOutage() throws {
        var state = MonitorState(Policy(), nil)
        _ = state.join([one], wantsSamples: false, limit: 100, .zero)
        _ = state.proceed(.zero)
        let event = LinkEvent(sequence: 1, time: .zero, change: .clockSet(by: .seconds(-3600)))
        let entry = try #require(state.entries[one])
        state.resolved(entry, 0, Resolution([IPAddress(literal: "192.0.2.1")]), .zero)
        if let order = state.requests.probes.first {
            state.observed(order, Observation(.answered(.milliseconds(1))), sentAt: .zero, .zero)
        }
        let local = LocalState(sequence: 1, links: [], ownDevices: [], routesByIdentity: [:])
        state.localChanged(LocalUpdate(state: local, events: [event]))
        _ = state.proceed(.milliseconds(1))
        #expect(entry.watch.status.state == .reachable)
        state.localChanged(
            LocalUpdate(state: local, events: [.init(sequence: 2, time: .zero, change: .resumed(after: .seconds(9)))])
        )
        _ = state.proceed(.milliseconds(2))
        #expect(entry.watch.status.reason == .stale)
    }

    @Test func copesWithThousandsThatFallTogether() async throws {
        // Few enough for a slow machine: with more than it can probe in time, probes follow each other without an end.
        let targets = (0..<2500).map { Target.icmp("10.\($0 >> 16).\($0 >> 8 & 255).\($0 & 255)") }
        let monitor = monitor(nil) { $0 = Policy() }
        var iterator = monitor.events(of: targets, limit: 100_000).makeAsyncIterator()
        var up = 0
        while up < targets.count, let event = await iterator.next() {
            if case .stateChanged = event.kind, event.status?.state == .reachable { up += 1 }
        }
        prober.show(.failed(.blackHole))
        let before = clock()
        var down: Set<Target> = []
        while down.count < targets.count, let event = await iterator.next() {
            if case .outageStarted = event.kind, let target = event.target {
                #expect(down.insert(target).inserted)
            }
        }
        let used = Double(clock() - before) / Double(CLOCKS_PER_SEC)
        // Each is probed three times or more; other tests' time counts, too.
        #expect(used < 20, "\(used) s of CPU")
        monitor.shutDown()
    }

    /// Held up for three seconds, while a probe without an answer is in progress.
    @Test func reportsNoOutageAfterItsOwnStop() async {
        await #expect(processExitsWith: .success) {
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(server, $0, length)
                    _ = getsockname(server, $0, &length)
                }
            }
            // Nobody accepts: with a full queue, probes would have no answer.
            listen(server, SOMAXCONN)
            let target = Target.tcp(.init("127.0.0.1", UInt16(bigEndian: address.sin_port)))
            var policy = Policy()
            (policy.interval, policy.fastInterval) = (.milliseconds(50), .milliseconds(50))
            let monitor = ReachabilityMonitor(policy: policy)
            let events = monitor.events(of: [target])
            let shell = try RunningCommand([
                "/bin/sh", "-c", "sleep 0.5; kill -STOP \(getpid()); sleep 3; kill -CONT \(getpid())",
            ])
            defer { withExtendedLifetime(shell) {} }
            var hasResumed = false
            for await event in events {
                switch event.kind {
                // A shorter one is the machine's.
                case .resumed(let pause) where pause > .seconds(2): hasResumed = true
                case .outageStarted: exit(3)
                case .stateChanged where hasResumed && event.status?.state == .reachable: exit(0)
                default: break
                }
            }
            exit(4)
        }
    }
}
