// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LocalNetwork
@testable import Netlink

extension PrivateNetwork {
    static let need: Comment = "needs root for a network namespace"
    static var isAvailable: Bool { Kernel.isRoot }

    /// A watcher of this network.
    func watcher(receiveBuffer: Int = 4 << 20) throws -> LocalWatcher {
        try run { try LocalWatcher(receiveBuffer: receiveBuffer, isOwnDevice: isLaneDevice) }
    }

    /// A connection to this network, for one thread at a time.
    func connection() throws -> RouteConnection {
        try run { RouteConnection(try RouteSocket()) }
    }
}
