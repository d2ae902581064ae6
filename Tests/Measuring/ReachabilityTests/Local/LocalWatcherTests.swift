// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Netlink
import TestKit
import Testing

@testable import LocalNetwork
@testable import Probing

@Suite(.enabled(if: PrivateNetwork.isAvailable, PrivateNetwork.need)) struct LocalWatcherTests {
    private let network: PrivateNetwork

    init() throws {
        network = try PrivateNetwork()
    }

    @Test func beginsWithThePresentState() async throws {
        try network.ip("link set lo up\nlink add near type veth peer name far")
        let watcher = try network.watcher()
        var updates = watcher.updates().makeAsyncIterator()
        let first = try #require(await updates.next())
        #expect(Set(first.state.links.map(\.status.link.name)) == ["lo", "near", "far"])
        #expect(first.events.isEmpty)
        #expect(first.state == watcher.state)
        #expect(first.state.operationalState(of: "near") == .off)
        #expect(first.state.operationalState(of: "none") == .missing)
        #expect(first.state.link(named: "lo")?.linkClass == .loopback)
        #expect(first.state.link(named: "near")?.linkClass == .virtual)
    }

    @Test func tellsOfALinksWholeLife() async throws {
        let watcher = try network.watcher()
        let log = EventLog(watcher)
        // Without addresses of the kernel's own making the sequence is known.
        try network.ip(
            """
            link add near type veth peer name far
            link set near addrgenmode none
            link set far addrgenmode none
            link set near name close
            link set close up
            link set far up
            """
        )
        #expect(await log.wait { $0.contains("carrier close") && $0.contains("carrier far") })
        try network.ip(
            """
            address add 192.0.2.1/24 dev close
            route add 198.51.100.0/24 via 192.0.2.254
            route delete 198.51.100.0/24
            address delete 192.0.2.1/24 dev close
            link set close down
            link delete close
            """
        )
        #expect(await log.wait { $0.contains("vanished close") && $0.contains("vanished far") })
        func about(_ name: String) -> [String] {
            log.words.filter { !$0.contains(name == "far" ? "close" : "far") && !$0.contains("near") }
        }
        #expect(
            about("close").filter { !$0.contains("::") } == [
                "up close", "carrier close", "address 192.0.2.1/24", "route 192.0.2.0/24", "route 198.51.100.0/24",
                "no route 198.51.100.0/24", "no address 192.0.2.1/24", "no route 192.0.2.0/24", "no carrier close",
                "down close", "vanished close",
            ]
        )
        #expect(log.words.filter { $0.contains("near") }.sorted() == ["appeared near", "renamed near close"])
        #expect(log.isGapless)
        #expect(log.events.first?.sequence == 1)
        #expect(watcher.state.links.map(\.status.link.name) == ["lo"])
    }

    /// IPv4 says nothing of the routes that go with their interface.
    @Test func noticesRoutesThatGoWithoutAWord() async throws {
        try network.ip(
            """
            link add near type veth peer name far
            link set near up
            link set far up
            address add 192.0.2.1/24 dev near
            route add 198.51.100.0/24 via 192.0.2.254
            """
        )
        let watcher = try network.watcher()
        let log = EventLog(watcher)
        #expect(watcher.state.routes.contains { $0.destination.description == "198.51.100.0" })
        try network.ip("link set near down")
        #expect(await log.wait { $0.contains("no route 198.51.100.0/24") && $0.contains("no route 192.0.2.0/24") })
        #expect(!watcher.state.routes.contains { $0.family == .ipv4 })
    }

    @Test func noticesRoutesThatTakeOthersPlaces() async throws {
        try network.ip(
            """
            link add near type veth peer name far
            link set near up
            address add 192.0.2.1/24 dev near
            -6 address add 2001:db8::1/64 dev near nodad
            route add default via 192.0.2.254
            -6 route add 2001:db8:1::/64 via 2001:db8::7
            """
        )
        let watcher = try network.watcher()
        let log = EventLog(watcher)
        try network.ip("route replace default via 192.0.2.253\n-6 route append 2001:db8:1::/64 via 2001:db8::8")
        #expect(
            await log.wait { words in
                words.count { $0.contains("route 0.0.0.0/0") } == 2
                    && words.count { $0.contains("route 2001:db8:1::/64") } == 2
            }
        )
        let defaults = watcher.state.routes.filter { $0.isDefault && $0.family == .ipv4 }
        #expect(defaults.map { $0.nextHops.map(\.gateway) } == [[IPAddress("192.0.2.253")]])
        let several = watcher.state.routes.filter { $0.destination == IPAddress("2001:db8:1::") }
        #expect(several.map(\.nextHops.count) == [2])
        try network.ip("-6 route delete 2001:db8:1::/64 via 2001:db8::8")
        #expect(await log.wait { words in words.count { $0.contains("route 2001:db8:1::/64") } == 4 })
        let one = watcher.state.routes.filter { $0.destination == IPAddress("2001:db8:1::") }
        #expect(one.map { $0.nextHops.map(\.gateway) } == [[IPAddress("2001:db8::7")]])
    }

    @Test func followsAnAddressThroughItsTest() async throws {
        try network.ip("link add near type veth peer name far\nlink set near up\nlink set far up")
        let watcher = try network.watcher()
        let log = EventLog(watcher)
        try network.ip("-6 address add 2001:db8::1/64 dev near")
        // Duplicate address detection takes a second or two.
        #expect(await log.wait { $0.contains("address changed 2001:db8::1/64") })
        let words = log.words.filter { $0.contains("2001:db8::1/64") }
        #expect(words == ["address 2001:db8::1/64", "address changed 2001:db8::1/64"])
        #expect(watcher.state.operationalState(of: "near") == .routable)
    }

    @Test func reportsNoOwnDevices() async throws {
        try network.ip("link add lc9r1d type ifb\nlink set lc9r1d up")
        let watcher = try network.watcher()
        let log = EventLog(watcher)
        try network.ip(
            """
            link add lc9r1u3 type ifb
            link set lc9r1u3 up
            address add 192.0.2.1/24 dev lc9r1u3
            route add 198.51.100.0/24 via 192.0.2.254
            tuntap add mode tap name lane
            """
        )
        try network.ip(["link", "set", "lane", "alias", "linkcond sandbox"])
        try network.ip("link set lane up\nlink delete lc9r1u3\nlink add ifb7 type ifb")
        #expect(await log.wait { $0.contains("appeared ifb7") })
        // A TAP says what it is only after its birth, and the kernel passes that on once it is up.
        #expect(log.words == ["appeared lane", "vanished lane", "appeared ifb7"])
        #expect(watcher.state.links.map(\.status.link.name) == ["lo", "ifb7"])
    }

    @Test func resynchronisesAfterAnOverrun() async throws {
        try network.ip("link add near type veth peer name far")
        // The kernel makes the least of it, about two KiB: a few notifications.
        let watcher = try network.watcher(receiveBuffer: 1)
        let log = EventLog(watcher)
        let blocked = DispatchSemaphore(value: 0)
        let isBlocking = DispatchSemaphore(value: 0)
        let end = watcher.observe { _ in
            isBlocking.signal()
            blocked.wait()
        }
        isBlocking.wait()
        let addresses = (1...50).map { "address add 192.0.2.\($0)/32 dev near" }
        try network.ip((addresses + ["link set near up"]).joined(separator: "\n"))
        end()
        blocked.signal()
        #expect(await log.wait { $0.contains("resynced") && $0.contains("up near") })
        for address in 1...50 { #expect(log.words.count { $0 == "address 192.0.2.\(address)/32" } == 1) }
        #expect(log.words.count { $0 == "up near" } == 1)
        #expect(log.isGapless)
        #expect(watcher.state.link(named: "near")?.addresses.count == 50)
    }

    @Test func tellsWithinAFewMilliseconds() async throws {
        try network.ip("link add near type veth peer name far")
        let flaps = try LinkFlaps(network, "near")
        var measurements = Measurements()
        while true {
            let watcher = try network.watcher()
            let log = EventLog(watcher)
            let yardstick = Yardstick()
            let edges = try flaps.run(count: 20, gap: .milliseconds(30))
            #expect(await log.wait { $0.count { $0 == "up near" || $0 == "down near" } == edges.count })
            let wait = yardstick.stop()
            watcher.stop()
            let told = log.events.filter { ["up near", "down near"].contains($0.change.words) }
            // One of the machine's hiccups says nothing of the watcher.
            let median = zip(told, edges).map { $0.time - $1.time }.sorted()[edges.count / 2]
            let fault = median < .milliseconds(50) ? nil : "half of the events came \(median) late or later"
            if try measurements.isSettled(fault: fault, yardstick: wait) { return }
        }
    }

    @Test func stopsAtOnce() async throws {
        let watcher = try network.watcher()
        let log = EventLog(watcher)
        var updates = watcher.updates().makeAsyncIterator()
        _ = await updates.next()
        watcher.stop()
        watcher.stop()
        #expect(await updates.next() == nil)
        let count = log.all.count
        let other = try network.watcher()
        let otherLog = EventLog(other)
        try network.ip("link set lo up")
        #expect(await otherLog.wait { $0.contains("up lo") })
        #expect(log.all.count == count)
        var late = watcher.updates().makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    /// It does not sleep until something happens in the network, or a time has passed.
    @Test func stopsAtOnceWhereNothingHappens() throws {
        // On a busy machine, one of many.
        let isQuick = try (0..<50).contains { _ in
            let watcher = try network.watcher()
            let start = ContinuousClock.now
            watcher.stop()
            return ContinuousClock.now - start < .milliseconds(500)
        }
        #expect(isQuick)
    }

    @Test func endsAnIterationThatIsCancelled() async throws {
        let watcher = try network.watcher()
        let task = Task {
            var count = 0
            for await _ in watcher.updates() { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        #expect(await task.value <= 1)
    }

    @Test func mayBeStoppedAndDroppedByItsHandler() async throws {
        let box = Box(try network.watcher())
        weak let watcher = box.watcher
        box.watcher?.observe { [box] _ in
            box.watcher?.stop()
            box.watcher = nil
        }
        #expect(await HangLimit.awaits { watcher == nil })
    }

    private final class Box: @unchecked Sendable {
        var watcher: LocalWatcher?
        init(_ watcher: LocalWatcher) { self.watcher = watcher }
    }
}
