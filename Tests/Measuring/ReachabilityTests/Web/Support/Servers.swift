// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import Netlink
@testable import Probing

/// Servers of every kind on loopback or on a far host, IPv4 and IPv6, in one process of python3 that ends with this one.
final class Servers: Sendable {
    /// Started by the first test that needs it.
    static let all = Result { try Servers(authority: Authority(), isLast: true) }

    let authority: Authority
    private let ports: [String: UInt16]
    /// Used by the initializer, and to end it, only.
    nonisolated(unsafe) private let process: RunningCommand

    /// - Parameter isLast: whether the authority's files go with the servers, since nothing else deletes them at exit.
    /// - Parameter network: whose far host they are on; nil for loopback.
    init(authority: Authority, isLast: Bool = false, in network: ProbeNetwork? = nil) throws {
        self.authority = authority
        let script = Script("web-servers.py")
        process = try RunningCommand(
            (network.map { ["ip", "netns", "exec", $0.far] } ?? []) + [
                "python3", "-W", "ignore", "-c", script.text, authority.directory.path, isLast ? "last" : "",
            ] + (network == nil ? ["127.0.0.1", "::1"] : ["10.71.2.2", "fd71:2::2"])
        )
        let line = try #require(try process.line(within: 60))
        ports = try JSONDecoder().decode([String: UInt16].self, from: Data(line.utf8))
    }

    /// The port of the server of this kind: the same for both families.
    func port(_ kind: String) throws -> UInt16 {
        try #require(ports[kind], "\(kind)")
    }

    static func port(_ kind: String) throws -> UInt16 { try all.get().port(kind) }

    /// A prober that trusts the tests' authority alone.
    static func prober() throws -> SocketProber {
        SocketProber(roots: TrustRoots(includesSystem: false, file: try all.get().authority.roots))
    }
}
