// SPDX-License-Identifier: Apache-2.0

import Netlink
import TestKit
import Testing

@testable import LocalNetwork
@testable import Reachability

@Suite struct LinkTableTests {
    private var table = LinkTable(isOwnDevice: isLaneDevice) { _ in DeviceFacts() }
    private let eth0 = KernelWords.link(2, "eth0")

    private mutating func words(_ notifications: RouteMonitor.Notification...) -> [String] {
        notifications.flatMap { table.apply($0, at: .zero) }.map(\.change.words)
    }

    @Test mutating func tellsOnlyWhatIsNew() {
        let address = KernelWords.address(2, "192.0.2.1")
        let route = KernelWords.route("198.51.100.0", over: 2)
        #expect(words(.link(eth0), .link(eth0)) == ["appeared eth0"])
        #expect(words(.address(address), .address(address)) == ["address 192.0.2.1/24"])
        #expect(words(.route(route), .route(route)) == ["route 198.51.100.0/24"])
        #expect(words(.routeGone(route), .routeGone(route)) == ["no route 198.51.100.0/24"])
        #expect(words(.addressGone(address), .addressGone(address)) == ["no address 192.0.2.1/24"])
        #expect(words(.linkGone(index: 2), .linkGone(index: 2)) == ["vanished eth0"])
    }

    @Test mutating func numbersEventsWithoutGaps() {
        var numbers: [UInt64] = []
        for isUp in [true, true, false, true] {
            let link = KernelWords.link(2, "eth0", isUp: isUp, hasCarrier: isUp)
            numbers += table.apply(.link(link), at: .seconds(3)).map(\.sequence)
        }
        #expect(numbers == [1, 2, 3, 4, 5])
        #expect(table.state.sequence == 5)
        #expect(table.apply(.link(eth0), at: .seconds(7)).isEmpty)
        #expect(table.apply(.linkGone(index: 2), at: .seconds(7)).map(\.time) == [.seconds(7)])
    }

    @Test mutating func tellsUpBeforeCarrierAndCarrierLossBeforeDown() {
        _ = words(.link(KernelWords.link(2, "eth0", isUp: false, hasCarrier: false)))
        #expect(words(.link(eth0)) == ["up eth0", "carrier eth0"])
        #expect(words(.link(KernelWords.link(2, "eth0", hasCarrier: false))) == ["no carrier eth0"])
        #expect(words(.link(eth0)) == ["carrier eth0"])
        let off = KernelWords.link(2, "eth0", isUp: false, hasCarrier: false)
        #expect(words(.link(off)) == ["no carrier eth0", "down eth0"])
    }

    @Test mutating func keepsARenamedLinksAddresses() {
        _ = words(.link(eth0), .address(KernelWords.address(2, "192.0.2.1")))
        #expect(words(.link(KernelWords.link(2, "wan"))) == ["renamed eth0 wan"])
        #expect(table.state.link(named: "wan")?.addresses.count == 1)
        #expect(table.state.link(named: "eth0") == nil)
    }

    /// Its notifications may have been lost, or its death come together with the birth of the next.
    @Test(arguments: [
        KernelWords.link(2, "eth0", kind: "dummy"), KernelWords.link(2, "eth0", hardware: 65534),
        KernelWords.link(2, "eth0", carrierChanges: 0),
    ])
    mutating func tellsAnotherDeviceOfTheSameNumberApart(other: LinkStatus) {
        _ = words(.link(eth0), .address(KernelWords.address(2, "192.0.2.1")))
        #expect(words(.link(other)) == ["no address 192.0.2.1/24", "vanished eth0", "appeared eth0"])
        #expect(table.state.link(named: "eth0")?.addresses == [])
    }

    @Test mutating func takesEverythingAlongThatALinkHad() {
        _ = words(
            .link(eth0),
            .link(KernelWords.link(3, "eth1")),
            .address(KernelWords.address(2, "192.0.2.1")),
            .route(KernelWords.route("192.0.2.0", over: 2)),
            .route(KernelWords.route("203.0.113.0", over: 3))
        )
        #expect(words(.linkGone(index: 2)) == ["no route 192.0.2.0/24", "no address 192.0.2.1/24", "vanished eth0"])
        #expect(table.state.routes.map(\.destination.description) == ["203.0.113.0"])
        // What was on its way still.
        #expect(words(.address(KernelWords.address(2, "192.0.2.1"))).isEmpty)
        #expect(words(.route(KernelWords.route("192.0.2.0", over: 2))).isEmpty)
    }

    @Test mutating func tellsWhenAnAddressChangesItsStanding() {
        _ = words(.link(eth0))
        let tentative = KernelWords.address(2, "2001:db8::1", prefixLength: 64, flags: .tentative)
        let usable = KernelWords.address(2, "2001:db8::1", prefixLength: 64)
        let lasting = KernelWords.address(2, "2001:db8::1", prefixLength: 64, flags: .init(rawValue: 0x80))
        #expect(words(.address(tentative)) == ["address 2001:db8::1/64"])
        #expect(table.state.operationalState(of: "eth0") == .carrier)
        #expect(words(.address(usable)) == ["address changed 2001:db8::1/64"])
        #expect(table.state.operationalState(of: "eth0") == .routable)
        #expect(words(.address(lasting)).isEmpty)
    }

    @Test mutating func doubtsWhatTheKernelDoesNotTell() {
        _ = words(.link(eth0), .route(KernelWords.route("0.0.0.0", prefixLength: 0, over: 2, via: "192.0.2.254")))
        _ = table.dequeueDoubts()
        let other = KernelWords.route("0.0.0.0", prefixLength: 0, over: 2, via: "192.0.2.253")
        #expect(words(.route(other)).isEmpty)
        #expect(table.dequeueDoubts() == [.ipv4])
        #expect(table.dequeueDoubts() == [])
        let events = table.replaceRoutes(of: .ipv4, with: [other], at: .zero)
        #expect(events.map(\.change.words) == ["no route 0.0.0.0/0", "route 0.0.0.0/0"])
        _ = words(.link(KernelWords.link(2, "eth0", hasCarrier: false)))
        #expect(table.dequeueDoubts() == [.ipv4, .ipv6])
        _ = words(.addressGone(KernelWords.address(2, "192.0.2.1")))
        #expect(table.dequeueDoubts() == [.ipv4])
    }

    @Test mutating func readsOneFamilyWithoutTheOther() {
        let route = KernelWords.route("2001:db8:1::", prefixLength: 64, over: 2)
        _ = words(.link(eth0), .route(route), .route(KernelWords.route("198.51.100.0", over: 2)))
        let events = table.replaceRoutes(of: .ipv4, with: [], at: .zero)
        #expect(events.map(\.change.words) == ["no route 198.51.100.0/24"])
        #expect(table.state.routes == [route])
    }

    /// The flag comes and goes with the carrier, of which there is an event.
    @Test mutating func takesALinkDownFlagForNoNews() {
        _ = words(.link(eth0), .route(KernelWords.route("192.0.2.0", over: 2)))
        let flagged = KernelWords.route("192.0.2.0", over: 2, flags: 16)
        #expect(table.replaceRoutes(of: .ipv4, with: [flagged], at: .zero).isEmpty)
        #expect(table.state.routes.first?.nextHops.first?.flags == .linkDown)
    }

    @Test mutating func leavesOutWhatOnlyMirrorsAddresses() {
        #expect(
            words(.link(eth0), .route(KernelWords.route("192.0.2.1", over: 2, kind: .local, table: 255))).count == 1
        )
        #expect(words(.route(KernelWords.route("192.0.2.9", over: 2, flags: 0x200))).isEmpty)
        #expect(table.state.routes.isEmpty)
    }

    @Test mutating func tellsTheDifferencesAfterAnOverrun() {
        _ = words(
            .link(KernelWords.link(1, "lo", hardware: 772)),
            .link(eth0),
            .link(KernelWords.link(3, "eth1")),
            .address(KernelWords.address(2, "192.0.2.1")),
            .address(KernelWords.address(2, "192.0.2.2")),
            .route(KernelWords.route("198.51.100.0", over: 2))
        )
        let dump = LocalDump(
            links: [
                KernelWords.link(1, "lo", hardware: 772), KernelWords.link(2, "eth0", hasCarrier: false),
                KernelWords.link(4, "eth2"),
            ],
            addresses: [KernelWords.address(2, "192.0.2.2")],
            routes: [KernelWords.route("203.0.113.0", over: 4)]
        )
        // Older than the reading, and newer.
        let notifications: [RouteMonitor.Notification] = [
            .link(eth0), .link(KernelWords.link(2, "eth0", hasCarrier: false)),
            .address(KernelWords.address(4, "192.0.2.4")),
        ]
        let events = table.resynchronise(dump, notifications, at: .zero)
        #expect(
            events.map(\.change.words) == [
                "resynced", "no carrier eth0", "no address 192.0.2.1/24", "vanished eth1", "appeared eth2",
                "address 192.0.2.4/24", "no route 198.51.100.0/24", "route 203.0.113.0/24",
            ]
        )
        #expect(table.resynchronise(dump, notifications, at: .zero).map(\.change.words) == ["resynced"])
    }

    /// Whatever the order, what was told adds up to what is.
    @Test(arguments: 0..<50) mutating func addsUp(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var told: [String: Int] = [:]
        func count(_ events: [LinkEvent]) {
            for words in events.map(\.change.words) {
                for prefix in ["address ", "route "] where words.hasPrefix(prefix) { told[words, default: 0] += 1 }
                for prefix in ["no address ", "no route "] where words.hasPrefix(prefix) {
                    told[String(words.dropFirst(3)), default: 0] -= 1
                }
            }
        }
        for _ in 0..<300 {
            let index = UInt32.random(in: 2...4, using: &chance)
            let number = Int.random(in: 1...3, using: &chance)
            // Each link has its own addresses and routes, so that the words tell them apart.
            let address = KernelWords.address(index, "10.0.\(index).\(number)")
            let route = KernelWords.route("10.\(index).\(number).0", over: index)
            let isLane = Bool.random(using: &chance)
            let link = KernelWords.link(Int32(index), isLane ? "lc2r1u" : "eth\(index)", kind: isLane ? "ifb" : nil)
            let notifications: [RouteMonitor.Notification] = [
                .link(link), .linkGone(index: Int32(index)), .address(address), .addressGone(address), .route(route),
                .routeGone(route), .address(address), .route(route),
            ]
            count(table.apply(notifications.randomElement(using: &chance) ?? .link(link), at: .zero))
        }
        let there =
            table.state.links.flatMap { link in
                link.addresses.map { LinkEvent.Change.addressAdded($0).words }
            } + table.state.routes.map { LinkEvent.Change.routeAdded($0).words }
        #expect(told.filter { $0.value != 0 } == Dictionary(uniqueKeysWithValues: there.map { ($0, 1) }))
    }
}
