// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import Netlink

/// A new network namespace of the running kernel.
enum NetworkNamespace {
    /// The reason for skipping tests that need one.
    static let need: Comment = "needs root for a network namespace"

    static var isAvailable: Bool { geteuid() == 0 }

    /// Returns the result of `body` for a connection to a new network namespace.
    ///
    /// `body` runs on a new thread, and the namespace is deleted at the end of that thread. Expectations must be
    /// outside `body`, since its thread has no current test.
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
    /// The kernel's dumps of all devices, addresses and qdiscs.
    func everything() throws -> [[UInt8]] {
        let links = Request("list the interfaces", type: 18, flags: 0x300) { $0.append((0, 0) as (UInt64, UInt64)) }
        let qdiscs = Request("list the qdiscs", type: 38, flags: 0x300) {
            $0.append((0, 0, 0, 0, 0) as (UInt32, UInt32, UInt32, UInt32, UInt32))
        }
        return try [links, qdiscs].flatMap { try replies(to: $0).map { Array($0.body) } }
    }
}
