// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// The addresses outside that the sandbox's packets may have as their destination.
struct Destinations {
    /// The name servers: the address that each has in the sandbox, and the host's own.
    var nameServers: [(inside: FlowEndpoint, outside: FlowEndpoint)] = []

    private static let namePort: UInt16 = 53

    /// Where a packet to `end` goes; nil for nowhere.
    ///
    /// The host's loopback is reached by its name servers' addresses only: what is there was not asked for. Those addresses of
    /// IPv6 that stand for one of IPv4 are no way to it.
    func outside(_ end: FlowEndpoint) -> FlowEndpoint? {
        if end.port == Self.namePort, let server = nameServers.first(where: { $0.inside.address == end.address }) {
            return FlowEndpoint(address: server.outside.address, port: end.port, scope: server.outside.scope)
        }
        if end.isIPv4 {
            let first = UInt8(truncatingIfNeeded: end.address >> 24)
            return first == 127 || first == 0 || first >= 224 ? nil : end
        }
        let isMulticast = end.address >> 120 == 0xFF
        // The first 64 bits 0: unspecified, loopback, and what stands for IPv4 (RFC 4291, RFC 2765); then the translator's.
        let isReserved = end.address >> 64 == 0 || end.address >> 32 == 0x0064_FF9B << 64
        return isMulticast || isReserved ? nil : end
    }

    /// The address in the sandbox of the name server that sends from `end`; nil for anybody else.
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

    /// For a message between processes of one program: of each server both addresses, and the scope of the host's.
    var bytes: [UInt8] {
        nameServers.flatMap { inside, outside in
            [inside.address, outside.address].flatMap { address in withUnsafeBytes(of: address) { Array($0) } }
                + withUnsafeBytes(of: outside.scope) { Array($0) }
        }
    }

    /// Decodes a message; nil for one that was cut off.
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
