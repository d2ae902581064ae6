// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// Several profiles in one sandbox that netem carries.
    @Suite struct SandboxRules {
        private static let rules = """
            { "rules": [
                { "to": "127.0.0.2", "profile": { "name": "Near", "uplink": { "delay": "30 ms" } } },
                { "to": ["127.0.0.3", "::1"], "exclude": { "port": 9 }, "profile": {
                    "name": "Far", "uplink": { "delay": "80 ms" }, "downlink": { "delay": "70 ms" } } }
            ] }
            """

        /// The rest has 3G's 100 ms each way, and the time of a frame at its rates.
        @Test(arguments: Caller.allCases)
        func eachPartOfTheTrafficHasItsProfile(_ caller: Caller) throws {
            let files = try TemporaryDirectory()
            let path = try files.write("rules.json", Self.rules).path
            let expected = [("127.0.0.1", 203.4), ("127.0.0.2", 30), ("127.0.0.3", 150), ("::1", 150)]
            let pings = expected.map { "ping -n -c 5 -i 0.1 \($0.0)" }.joined(separator: "; ")
            try Measurements.settle {
                let output = try caller.check("3G --offline --rules \(path) --engine netem -- sh -c '\(pings)'")
                let outputs = output.split(separator: "PING").map(String.init)
                try #require(outputs.count == expected.count, "\(output)")
                return try zip(expected, outputs).compactMap { expected, output in
                    let (address, time) = expected
                    return try Ping(reading: output).fault(address, time - 3...time + 3)
                }.first
            }
        }
    }
}
