// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProbes

/// What is sent as one, and comes as datagrams.
@Suite(.serialized) struct DatagramSocketTests {
    private static let loopback = PeerAddress([127, 0, 0, 1], scope: 0, port: 47_373)

    /// The last two are no super-packet: one is too long for a packet, the other has more datagrams than the kernel splits
    /// (UDP_MAX_SEGMENTS of linux/udp.h: 64, and 128 since Linux 6.9).
    @Test(arguments: [(1, 400), (4, 400), (60, 1_400), (140, 64)], [false, true])
    func sendsEachDatagramOfAGroup(group: (count: Int, length: Int), isConnected: Bool) throws {
        let address = try #require(Self.loopback)
        let (source, sink) = (try DatagramSocket(isIPv6: false), try DatagramSocket(isIPv6: false))
        try sink.bind(address)
        if isConnected { try source.connect(address) }
        let sent = (0..<group.count).map { [UInt8](repeating: UInt8($0), count: group.length) }
        try source.send(sent, to: isConnected ? nil : address)
        var came: [[UInt8]] = []
        while let arrival = try sink.receive() { came.append(arrival.bytes) }
        #expect(came == sent)
    }

    @Test func knowsThePathMTUOfAConnectedSocketOnly() throws {
        let socket = try DatagramSocket(isIPv6: false)
        #expect(socket.pathMTU(isIPv6: false) == nil)
        try socket.connect(try #require(Self.loopback))
        #expect(try #require(socket.pathMTU(isIPv6: false)) >= 1_280)
    }
}
