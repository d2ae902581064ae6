// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

/// Finds the connections to which a packet may belong if the link has changed one bit of its addresses or ports.
struct NeighboringFlows {
    private var flows: [SocketEnds: [Int]] = [:]

    /// Indexes the connections in `all` that have an undamaged packet.
    init(_ all: [ObservedConnections.Flow]) {
        for (number, flow) in all.enumerated() where flow.isCertain {
            flows[SocketEnds(flow.client, flow.server), default: []].append(number)
        }
    }

    /// The numbers of the connections whose endpoints differ from those of `flow` in one bit.
    func neighbors(of flow: ObservedConnections.Flow) -> [Int] {
        let ends =
            flow.client.withOneWrongBit.map { SocketEnds($0, flow.server) }
            + flow.server.withOneWrongBit.map { SocketEnds(flow.client, $0) }
        return ends.flatMap { flows[$0] ?? [] }
    }
}

extension Endpoint {
    fileprivate var withOneWrongBit: [Endpoint] {
        let bytes = address.bytes
        let addresses = (0..<8 * bytes.count).compactMap { bit in
            var bytes = bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            return IPAddress(bytes: bytes, scope: address.scope)
        }
        return addresses.map { Endpoint($0, port) } + (0..<16).map { Endpoint(address, port ^ 1 << $0) }
    }
}
