// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import Netlink

/// An empty network of the running kernel.
enum NetworkNamespace {
    /// Why the tests that need one are skipped.
    static let need: Comment = "needs root for a network namespace"

    static var isAvailable: Bool { geteuid() == 0 }

    /// Gives what `body` makes of a connection to a network of its own.
    ///
    /// Expectations belong outside: there is no current test on the thread that does this.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable (RouteConnection) throws -> Result
    ) async throws -> Result {
        try await PrivateNetwork.perform { try body(RouteConnection(RouteSocket())) }
    }

    /// Whether the running kernel has `feature`.
    static func has(_ feature: KernelFeature) async throws -> Bool {
        guard isAvailable else { return false }
        return try await run { try $0.has(feature) }
    }
}

extension RouteConnection {
    /// Everything that a change of the network's devices and queues would show in, as the kernel gives it.
    func everything() throws -> [[UInt8]] {
        let links = Request("list the interfaces", type: 18, flags: 0x300) { $0.append((0, 0) as (UInt64, UInt64)) }
        let qdiscs = Request("list the qdiscs", type: 38, flags: 0x300) {
            $0.append((0, 0, 0, 0, 0) as (UInt32, UInt32, UInt32, UInt32, UInt32))
        }
        return try [links, qdiscs].flatMap { try replies(to: $0).map { Array($0.body) } }
    }
}
