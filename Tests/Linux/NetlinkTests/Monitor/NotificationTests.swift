// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Glibc
import Testing

@testable import Netlink

@Suite struct NotificationTests {
    private func notification(_ type: Int, _ body: [UInt8]) -> RouteMonitor.Notification? {
        MessageSequence(message(type, body)).first { _ in true }.flatMap { RouteMonitor.Notification($0) }
    }

    private func link(family: UInt8 = 0, flags: UInt32 = 0, _ attributes: [UInt8] = []) -> [UInt8] {
        var header = ifinfomsg()
        header.ifi_family = family
        header.ifi_type = UInt16(ARPHRD_ETHER)
        header.ifi_index = 7
        header.ifi_flags = flags
        return bytes(of: header) + attribute(Int(IFLA_IFNAME), Array("eth0\0".utf8)) + attributes
    }

    @Test func readsTheStateOfALink() throws {
        let body = link(
            flags: 0x11043,
            attribute(Int(IFLA_OPERSTATE), [6]) + attribute(Int(IFLA_CARRIER), [1])
                + attribute(Int(IFLA_CARRIER_CHANGES), [3, 0, 0, 0]) + attribute(Int(IFLA_MASTER), [9, 0, 0, 0])
                + attribute(Int(IFLA_LINK), [8, 0, 0, 0]) + attribute(Int(IFLA_LINK_NETNSID), [0, 0, 0, 0])
                + attribute(Int(IFLA_ADDRESS), [2, 0, 0, 0, 0, 1])
        )
        guard case .link(let status) = notification(Int(RTM_NEWLINK), body) else {
            Issue.record("no link")
            return
        }
        #expect(status.link.name == "eth0")
        #expect(status.flags.isSuperset(of: [.up, .broadcast, .running, .lowerUp]))
        #expect(status.flags.isDisjoint(with: [.dormant, .loopback, .noARP]))
        #expect(status.operationalState == .up)
        #expect(status.hasCarrier)
        #expect(status.carrierChanges == 3)
        #expect(status.master == 9)
        #expect(status.lower == 8)
        #expect(status.lowerNamespace == 0)
        #expect(status.hardwareType == 1)
        #expect(status.hardwareAddress == [2, 0, 0, 0, 0, 1])
    }

    @Test func readsTheEndOfALink() {
        #expect(notification(Int(RTM_DELLINK), link()) == .linkGone(index: 7))
    }

    /// Its RTM_DELLINK means that the port was removed from the bridge.
    @Test func ignoresBridgePorts() {
        #expect(notification(Int(RTM_DELLINK), link(family: UInt8(AF_BRIDGE))) == nil)
        #expect(notification(Int(RTM_NEWLINK), link(family: UInt8(AF_BRIDGE))) == nil)
    }

    /// They lack most attributes of the link, and would look like another device.
    @Test func ignoresWirelessEvents() {
        #expect(notification(Int(RTM_NEWLINK), link(attribute(Int(IFLA_WIRELESS), [0, 0, 0, 0]))) == nil)
    }

    private func address(_ attributes: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        bytes(
            of: ifaddrmsg(ifa_family: UInt8(AF_INET), ifa_prefixlen: 24, ifa_flags: flags, ifa_scope: 253, ifa_index: 7)
        ) + attributes
    }

    @Test func distinguishesTheLocalEndFromThePeer() throws {
        let ends = attribute(Int(IFA_ADDRESS), [192, 0, 2, 9]) + attribute(Int(IFA_LOCAL), [192, 0, 2, 1])
        let pair = try #require(InterfaceAddress(address(ends)[...]))
        #expect(pair.address == IPAddress("192.0.2.1"))
        #expect(pair.peer == IPAddress("192.0.2.9"))
        #expect(pair.index == 7)
        #expect(pair.prefixLength == 24)
        #expect(pair.scope == .link)
        let same = attribute(Int(IFA_ADDRESS), [192, 0, 2, 1]) + attribute(Int(IFA_LOCAL), [192, 0, 2, 1])
        #expect(InterfaceAddress(address(same)[...])?.peer == nil)
        #expect(InterfaceAddress(address([])[...]) == nil)
    }

    /// The header has room for eight of them only.
    @Test func readsFlagsFromTheirAttribute() throws {
        let local = attribute(Int(IFA_LOCAL), [192, 0, 2, 1])
        let long = local + attribute(Int(IFA_FLAGS), bytes(of: UInt32(0x240)))
        #expect(InterfaceAddress(address(long)[...])?.flags.rawValue == 0x240)
        #expect(InterfaceAddress(address(local, flags: 0x08)[...])?.flags == .duplicate)
    }

    private func route(family: Int32 = AF_INET, flags: UInt32 = 0, _ attributes: [UInt8]) -> [UInt8] {
        var header = rtmsg()
        header.rtm_family = UInt8(family)
        header.rtm_dst_len = 24
        header.rtm_table = 254
        header.rtm_type = UInt8(RTN_UNICAST)
        header.rtm_flags = flags
        return bytes(of: header) + attributes
    }

    private let network = attribute(Int(RTA_DST.rawValue), [198, 51, 100, 0])

    @Test func readsSeveralNextHops() throws {
        let first = bytes(of: rtnexthop(rtnh_len: 16, rtnh_flags: 17, rtnh_hops: 4, rtnh_ifindex: 7))
        let second = bytes(of: rtnexthop(rtnh_len: 8, rtnh_flags: 0, rtnh_hops: 0, rtnh_ifindex: 8))
        let hops = first + attribute(Int(RTA_GATEWAY.rawValue), [192, 0, 2, 254]) + second
        let body = route(network + attribute(Int(RTA_MULTIPATH.rawValue), hops))
        let read = try #require(Route(body[...]))
        #expect(read.nextHops.map(\.index) == [7, 8])
        #expect(read.nextHops.map(\.gateway) == [IPAddress("192.0.2.254"), nil])
        #expect(read.nextHops.map(\.flags) == [[.dead, .linkDown], []])
        #expect(read.nextHops.map(\.weight) == [5, 1])
    }

    @Test func readsARouterOfTheOtherFamily() throws {
        let router = try #require(IPAddress("fe80::9"))
        let via = bytes(of: UInt16(AF_INET6)) + router.bytes
        let device = attribute(Int(RTA_OIF.rawValue), [7, 0, 0, 0])
        let body = route(network + device + attribute(Int(RTA_VIA.rawValue), via))
        #expect(Route(body[...])?.nextHops.first?.gateway == router)
    }

    @Test func readsTableMetricAndSource() throws {
        let body = route(
            flags: 0x200,
            network + attribute(Int(RTA_TABLE.rawValue), bytes(of: UInt32(1000)))
                + attribute(Int(RTA_PRIORITY.rawValue), bytes(of: UInt32(600)))
                + attribute(Int(RTA_PREFSRC.rawValue), [192, 0, 2, 1])
                + attribute(Int(RTA_METRICS.rawValue), attribute(Int(RTAX_MTU), bytes(of: UInt32(1400))))
        )
        let read = try #require(Route(body[...]))
        #expect(read.table == 1000)
        #expect(read.metric == 600)
        #expect(read.preferredSource == IPAddress("192.0.2.1"))
        #expect(read.mtu == 1400)
        #expect(read.isCached)
        #expect(read.nextHops.isEmpty)
        #expect(!read.isDefault)
    }

    @Test func survivesEveryTruncation() {
        let first = bytes(of: rtnexthop(rtnh_len: 16, rtnh_flags: 0, rtnh_hops: 0, rtnh_ifindex: 7))
        let hops = first + attribute(Int(RTA_GATEWAY.rawValue), [192, 0, 2, 254])
        let body = route(network + attribute(Int(RTA_MULTIPATH.rawValue), hops))
        for length in 0..<body.count {
            #expect(Route(body.prefix(length))?.nextHops.isEmpty != false)
        }
    }
}
