// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestKit

@testable import Netlink
@testable import Reachability

/// Switches one interface up and down, and remembers when.
final class LinkFlaps {
    struct Edge {
        let isUp: Bool
        /// On CLOCK_MONOTONIC, before the kernel was told.
        let time: Duration
    }

    private let connection: RouteConnection
    private let index: Int32

    init(_ network: PrivateNetwork, _ name: String) throws {
        connection = try network.connection()
        index = try connection.link(named: name).index
    }

    /// Switches `count` times, beginning with up, at least `gap` apart.
    func run(count: Int, gap: Duration) throws -> [Edge] {
        var edges: [Edge] = []
        for number in 0..<count {
            let isUp = number.isMultiple(of: 2)
            edges.append(Edge(isUp: isUp, time: .reading(CLOCK_MONOTONIC)))
            try connection.perform(Self.request(index, isUp: isUp))
            usleep(UInt32(gap / .microseconds(1)))
        }
        return edges
    }

    /// `ip link set up` or `down`: RTM_NEWLINK with NLM_F_REQUEST and NLM_F_ACK, and IFF_UP in flags and change mask.
    private static func request(_ index: Int32, isUp: Bool) -> Request {
        let words: [UInt32] = [32, 5 << 16 | 16, 0, 0, 0, UInt32(bitPattern: index), isUp ? 1 : 0, 1]
        return Request("switch \(index)", bytes: words.withUnsafeBytes(Array.init))
    }
}
