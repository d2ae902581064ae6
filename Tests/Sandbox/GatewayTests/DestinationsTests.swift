// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import Testing

@testable import Gateway

/// Where packets may go.
@Suite struct DestinationsTests {
    private static let destinations = Destinations(
        nameServers: [("10.0.2.3", "127.0.0.53"), ("fd00::3", "192.0.2.53")].compactMap { inside, outside in
            guard let inside = IPAddress(inside), let outside = IPAddress(outside) else { return nil }
            return (FlowEndpoint(inside, port: 0), FlowEndpoint(outside, port: 0))
        }
    )

    private func end(_ text: String, _ port: UInt16) throws -> FlowEndpoint {
        FlowEndpoint(try #require(IPAddress(text)), port: port)
    }

    @Test(arguments: ["192.0.2.1", "169.254.169.254", "10.0.2.3", "2001:db8::1", "fe80::1", "64:ff9c::7f00:1"])
    func areOutside(text: String) throws {
        let server = try end(text, 443)
        #expect(Self.destinations.outside(server) == server)
    }

    @Test(arguments: [
        "127.0.0.1", "127.1.2.3", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1",
        "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "ff02::1",
    ])
    func areNotTheHostsLoopback(text: String) throws {
        #expect(Self.destinations.outside(try end(text, 53)) == nil)
    }

    @Test(arguments: [("10.0.2.3", "127.0.0.53"), ("fd00::3", "192.0.2.53")])
    func areNameServersUnderTheirOwnAddresses(inside: String, outside: String) throws {
        #expect(try Self.destinations.outside(end(inside, 53)) == end(outside, 53))
        #expect(try Self.destinations.inside(end(outside, 53)) == end(inside, 53))
        #expect(try Self.destinations.inside(end(outside, 80)) == nil)
    }

    /// As one process tells the other; a message that was cut off says nothing.
    @Test func comesOverAsBytes() throws {
        let servers = [("10.0.2.3", "192.0.2.53"), ("fd00::3", "fe80::53"), ("10.0.2.4", "127.0.0.53")]
        var sent = Destinations(
            nameServers: servers.compactMap { inside, outside in
                guard let inside = IPAddress(inside), let outside = IPAddress(outside) else { return nil }
                return (FlowEndpoint(inside, port: 0), FlowEndpoint(outside, port: 0))
            }
        )
        sent.nameServers[1].outside.scope = 7
        guard case .use(let came) = GatewayOrder([2] + sent.bytes) else { throw NotUnderstood() }
        #expect(came.nameServers.map(\.inside) == sent.nameServers.map(\.inside))
        #expect(came.nameServers.map(\.outside) == sent.nameServers.map(\.outside))
        #expect(GatewayOrder([2] + sent.bytes.dropLast()) == nil && GatewayOrder([9]) == nil && GatewayOrder([]) == nil)
        #expect(sent.nameServers.count == 3)
    }

    private struct NotUnderstood: Error {}
}
