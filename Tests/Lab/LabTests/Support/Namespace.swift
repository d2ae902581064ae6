// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// Sockets made inside a named network namespace and used from anywhere.
enum Namespace {
    /// A socket that belongs to the namespace called `name`.
    static func socket(in name: String, family: Int32, type: __socket_type) throws -> Int32 {
        let descriptor = try PrivateNetwork.run(in: "/run/netns/\(name)") {
            Foundation.socket(family, Int32(type.rawValue), 0)
        }
        guard descriptor >= 0 else { throw POSIXError(.ENOTSOCK) }
        return descriptor
    }
}
