// SPDX-License-Identifier: Apache-2.0

/// The addresses in the gateway's network namespace. They appear in no other network.
///
/// There, the server of every connection is one listening socket, and the client is the address and port that stand for
/// the connection's number, so that each packet from the kernel identifies its connection. Numbers are used in turn, so
/// that none is reused while its old connection is in TIME_WAIT.
enum FarAddresses {
    /// The number of different connection numbers: 32 addresses with 32,768 ports each.
    static let count = 1 << 20
    /// The prefix lengths of the two networks.
    static let prefixLengths: (ipv4: UInt8, ipv6: UInt8) = (15, 48)

    private static let firstPort: UInt16 = 1 << 15
    private static let portBits = 15

    // Reserved for benchmarks: RFC 2544, section C.2.2, and RFC 5180, section 8.
    private static let network4: UInt32 = 198 << 24 | 18 << 16
    private static let network6: UInt128 = 0x2001_0002 << 96
    private static let clients = 256

    /// The endpoint of the listening socket.
    static func server(isIPv4: Bool, port: UInt16) -> FlowEndpoint {
        isIPv4 ? FlowEndpoint(ipv4: network4 | 1, port: port) : FlowEndpoint(ipv6: network6 | 1, port: port)
    }

    /// The endpoint of the client of connection `number`, in the device's network, so that the kernel has a route to
    /// it.
    static func client(_ number: Int, isIPv4: Bool) -> FlowEndpoint {
        let host = clients + number >> portBits
        let port = firstPort | UInt16(truncatingIfNeeded: number & (1 << portBits - 1))
        return isIPv4
            ? FlowEndpoint(ipv4: network4 | UInt32(host), port: port)
            : FlowEndpoint(ipv6: network6 | UInt128(host), port: port)
    }

    /// The number of the connection whose client has this endpoint in the gateway's network; nil for any other
    /// endpoint.
    static func number(of end: FlowEndpoint) -> Int? {
        let network = end.isIPv4 ? FlowEndpoint(ipv4: network4, port: 0).address : network6
        guard end.address >= network, end.port >= firstPort else { return nil }
        let host = end.address - network
        guard host >= UInt128(clients), host < UInt128(clients + count >> portBits) else { return nil }
        return (Int(host) - clients) << portBits | Int(end.port & (firstPort - 1))
    }
}
