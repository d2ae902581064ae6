// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Requests and answers on loopback, timed in each direction: one process has both ends, so one clock times both.
struct Exchange: Decodable {
    /// Milliseconds that a request took, the least of five: a busy machine makes packets late and none early.
    let request: Double
    /// Milliseconds that an answer took.
    let answer: Double

    /// Times exchanges in a sandbox with one server after the other. A server is a transport, an address and a port (0:
    /// the kernel's choice), as "tcp/127.0.0.1/0".
    static func times(of servers: [String], by caller: Caller, _ options: String) throws -> [Exchange] {
        try caller.check("\(options) --offline -- \(line(servers))").decoded()
    }

    /// The shell command that does it.
    static func line(_ servers: [String]) -> String {
        Script("exchange.py").line(servers)
    }
}
