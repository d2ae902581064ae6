// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Servers on the far host: TCP 7001, UDP echo 7002, UDP without an answer 7003, DNS 53 as misbehaving as the names
/// asked for say, and addresses whose answers to ping are odd. They end with their last reference.
final class FarServers {
    private let servers: RunningCommand

    init(_ network: ProbeNetwork, answersOddly: Bool = false) throws {
        let program = Script("far-servers.py").command(answersOddly ? ["odd"] : [])
        servers = try RunningCommand(["ip", "netns", "exec", network.far] + program)
        try #require(try servers.line(within: 60) == "ready")
    }
}
