// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Requests and answers on loopback, timed each way: one process has both ends, so one clock sees both.
struct Exchange: Decodable {
    /// Milliseconds that a request took, the median of three.
    let request: Double
    /// Milliseconds that an answer took.
    let answer: Double

    /// Times exchanges in a sandbox, one after the other. A way is transport, server's address and server's port (0:
    /// the kernel's choice), as "tcp/127.0.0.1/0".
    static func times(of ways: [String], by caller: Caller, _ options: String) throws -> [Exchange] {
        try caller.check("\(options) --offline -- \(line(ways))").decoded()
    }

    /// The line of shell that does it.
    static func line(_ ways: [String]) -> String {
        Script("exchange.py").line(ways)
    }
}
