// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Netlink
@testable import Probing

/// A server on the far host that never stops sending once it is asked. It ends with its last reference.
final class HostileServer {
    /// What it sends.
    enum Kind: String, CaseIterable, Sendable {
        /// Answers to other queries, over TCP and UDP.
        case dnsStream, dnsDatagrams
        /// A body whose chunks hold one byte each, with and without extensions.
        case httpDrip, httpChunks
        /// Requests for another handshake, during the first.
        case tlsRenegotiation
        /// Echo replies and ICMP errors.
        case echoFlood
    }

    private static let address = IPAddress(literal: "10.71.2.66")

    /// A question to it.
    let probe: Probe
    private let server: RunningCommand

    init(_ kind: Kind, _ network: ProbeNetwork) throws {
        let address = Self.address
        let page = HTTPQuestion(host: "hostile.test", port: 80, body: "what never comes")
        probe =
            switch kind {
            case .dnsStream: .dns(DNSQuestion("hostile.test", .a), server: address, overTCP: true)
            case .dnsDatagrams: .dns(DNSQuestion("hostile.test", .a), server: address)
            case .httpDrip, .httpChunks: .http(page, address)
            case .tlsRenegotiation: .tls(address, port: 443, name: "hostile.test")
            case .echoFlood: .icmp(address)
            }
        try Shell.check("ip -n \(network.far) addr replace \(address)/24 dev f0")
        let program = Script("hostile-servers.py").command([kind.rawValue])
        server = try RunningCommand(["ip", "netns", "exec", network.far] + program)
        try #require(try server.line(within: 60) == "ready")
    }
}
