// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Netlink

@Suite(.enabled(if: NetworkNamespace.isAvailable, NetworkNamespace.need)) struct KernelRouteTests {
    @Test func listsWhatComesWithTheLoopback() async throws {
        let (status, addresses, routes) = try await NetworkNamespace.run { connection in
            try connection.perform(LinkRequest.bringUp("lo"))
            let status = try connection.linkStatuses().first { $0.link.name == "lo" }
            return (status, try connection.addresses(), try connection.routes(.ipv4) + connection.routes(.ipv6))
        }
        #expect(status?.flags.isSuperset(of: [.up, .loopback, .running, .lowerUp]) == true)
        #expect(status?.hardwareType == 772)
        #expect(addresses.map(\.address) == [IPAddress("127.0.0.1"), IPAddress("::1")])
        #expect(addresses.map(\.scope) == [.host, .host])
        #expect(addresses.map(\.prefixLength) == [8, 128])
        #expect(addresses.allSatisfy { $0.isUsable && $0.peer == nil && $0.index == 1 })
        let own = routes.filter { $0.kind == .local && $0.prefixLength == $0.family.bitWidth }
        #expect(Set(own.map(\.destination.description)) == ["127.0.0.1", "::1"])
        #expect(own.allSatisfy { $0.table == 255 && $0.nextHops.map(\.index) == [1] })
    }

    @Test func findsRoutesAndTheirAbsence() async throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        let far = try #require(IPAddress("198.51.100.1"))
        let (found, error) = try await NetworkNamespace.run { connection in
            try connection.perform(LinkRequest.bringUp("lo"))
            let found = try connection.lookUpRoute(to: loopback)
            do throws(NetlinkError) {
                _ = try connection.lookUpRoute(to: far)
                return (found, nil as NetlinkError?)
            } catch {
                return (found, error)
            }
        }
        #expect(found.kind == .local)
        #expect(found.source == loopback)
        #expect(found.index == 1)
        #expect(found.gateway == nil)
        #expect(error == NetlinkError(operation: "find a route to 198.51.100.1", code: ENETUNREACH))
    }

    @Test func reportsChangesInOrder() async throws {
        let arrivals = try await NetworkNamespace.run { connection in
            let monitor = try RouteMonitor()
            let before = try monitor.receive()
            try connection.perform(LinkRequest.addIFB("lane", queueLength: 1000))
            try connection.perform(LinkRequest.setMTU(1400, of: "lane"))
            try connection.perform(LinkRequest.delete("lane"))
            return try [before] + monitor.rest()
        }
        #expect(arrivals.first == .nothing)
        let words = arrivals.flatMap { arrival -> [String] in
            guard case .notifications(let notifications) = arrival else { return [] }
            return notifications.map { notification in
                switch notification {
                case .link(let status): "\(status.link.name) \(status.link.mtu)"
                case .linkGone: "gone"
                default: "other"
                }
            }
        }
        #expect(words.first == "lane 1500")
        #expect(words.contains("lane 1400"))
        #expect(words.last == "gone")
    }

    @Test func reportsAnOverrun() async throws {
        let arrivals = try await NetworkNamespace.run { connection in
            let monitor = try RouteMonitor(receiveBuffer: 1)
            for number in 0..<20 { try connection.perform(LinkRequest.addIFB("lane\(number)", queueLength: 1000)) }
            return try monitor.rest()
        }
        #expect(arrivals.contains(.overrun))
        #expect(arrivals.count < 20)
    }
}

extension RouteMonitor {
    /// All waiting notifications.
    fileprivate func rest() throws -> [Arrival] {
        var arrivals: [Arrival] = []
        while true {
            let arrival = try receive()
            guard arrival != .nothing else { return arrivals }
            arrivals.append(arrival)
        }
    }
}
