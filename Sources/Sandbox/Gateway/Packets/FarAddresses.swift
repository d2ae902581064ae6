// SPDX-License-Identifier: Apache-2.0

/// The addresses in the gateway's own network. They appear in no other network.
///
/// Whatever a connection's ends are in the sandbox, here the server is one listening socket, and the client is the address
/// and the port that stand for the connection's number. So a packet of the kernel's tells its connection, and numbers that are
/// in turn leave an old one as long as TIME_WAIT lasts.
enum FarAddresses {
    /// The number of connections that have a number at the same time: 32 addresses of 32,768 ports.
    static let count = 1 << 20
    /// The networks of the addresses below.
    static let prefixLengths: (ipv4: UInt8, ipv6: UInt8) = (15, 48)

    private static let firstPort: UInt16 = 1 << 15
    private static let portBits = 15

    // Reserved for benchmarks: RFC 2544, section C.2.2, and RFC 5180, section 8.
    private static let network4: UInt32 = 198 << 24 | 18 << 16
    private static let network6: UInt128 = 0x2001_0002 << 96
    private static let clients = 256

    /// The listening socket's.
    static func server(isIPv4: Bool, port: UInt16) -> FlowEndpoint {
        isIPv4 ? FlowEndpoint(ipv4: network4 | 1, port: port) : FlowEndpoint(ipv6: network6 | 1, port: port)
    }

    /// The device's own, by which the kernel has a route to the clients.
    static func client(_ number: Int, isIPv4: Bool) -> FlowEndpoint {
        let host = clients + number >> portBits
        let port = firstPort | UInt16(truncatingIfNeeded: number & (1 << portBits - 1))
        return isIPv4
            ? FlowEndpoint(ipv4: network4 | UInt32(host), port: port)
            : FlowEndpoint(ipv6: network6 | UInt128(host), port: port)
    }

    /// The number of the connection that an end of the gateway's network stands for; nil for another end.
    static func number(of end: FlowEndpoint) -> Int? {
        let network = end.isIPv4 ? FlowEndpoint(ipv4: network4, port: 0).address : network6
        guard end.address >= network, end.port >= firstPort else { return nil }
        let host = end.address - network
        guard host >= UInt128(clients), host < UInt128(clients + count >> portBits) else { return nil }
        return (Int(host) - clients) << portBits | Int(end.port & (firstPort - 1))
    }
}
