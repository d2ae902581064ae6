// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// The allowed destinations of the sandbox's packets, and their addresses outside of the sandbox.
struct Destinations {
    /// The name servers: each one's address in the sandbox, and its address for the host.
    var nameServers: [(inside: FlowEndpoint, outside: FlowEndpoint)] = []

    private static let namePort: UInt16 = 53

    /// The endpoint outside to which packets for `end` go; nil if `end` is not allowed.
    ///
    /// Only a name server's address leads to the host's loopback, whose other services are closed to the sandbox. IPv6
    /// addresses that embed an IPv4 address are refused, since they would be a way around this.
    func outside(_ end: FlowEndpoint) -> FlowEndpoint? {
        if end.port == Self.namePort, let server = nameServers.first(where: { $0.inside.address == end.address }) {
            return FlowEndpoint(address: server.outside.address, port: end.port, scope: server.outside.scope)
        }
        if end.isIPv4 {
            let first = UInt8(truncatingIfNeeded: end.address >> 24)
            return first == 127 || first == 0 || first >= 224 ? nil : end
        }
        let isMulticast = end.address >> 120 == 0xFF
        // First 64 bits 0: unspecified, loopback, IPv4-mapped (RFC 4291, RFC 2765); then the NAT64 prefix 64:ff9b::/96.
        let isReserved = end.address >> 64 == 0 || end.address >> 32 == 0x0064_FF9B << 64
        return isMulticast || isReserved ? nil : end
    }

    /// The sandbox's address of the name server that sends from `end`; nil for any other sender.
    func inside(_ end: FlowEndpoint) -> FlowEndpoint? {
        nameServers.first { $0.outside.address == end.address && end.port == Self.namePort }
            .map { FlowEndpoint(address: $0.inside.address, port: end.port) }
    }
}

extension Destinations {
    init(_ nameServers: [GatewayProcess.NameServer]) {
        self.init(
            nameServers: nameServers.map { (FlowEndpoint($0.inside, port: 0), FlowEndpoint($0.outside, port: 0)) }
        )
    }

    /// Encodes a message between processes of this program: for each server, both addresses and the scope of the
    /// outside one.
    var bytes: [UInt8] {
        nameServers.flatMap { inside, outside in
            [inside.address, outside.address].flatMap { address in withUnsafeBytes(of: address) { Array($0) } }
                + withUnsafeBytes(of: outside.scope) { Array($0) }
        }
    }

    /// Decodes a message; nil if it is truncated.
    init?(bytes: ArraySlice<UInt8>) {
        let length = 36
        guard bytes.count.isMultiple(of: length) else { return nil }
        self.init(
            nameServers: stride(from: bytes.startIndex, to: bytes.endIndex, by: length).map { start in
                bytes[start..<start + length].withUnsafeBytes { bytes in
                    let (inside, outside) = (0, 16)
                    func address(_ offset: Int) -> UInt128 {
                        bytes.loadUnaligned(fromByteOffset: offset, as: UInt128.self)
                    }
                    let scope = bytes.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
                    return (
                        FlowEndpoint(address: address(inside), port: 0),
                        FlowEndpoint(address: address(outside), port: 0, scope: scope)
                    )
                }
            }
        )
    }
}
