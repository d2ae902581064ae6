// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// How names are resolved in a sandbox: by the host's resolver, over the sandbox's link.
    @Suite struct UplinkNames {
        private struct Lookup {
            let seconds: Double
            let found: String
        }

        /// Looks the name up with getent(1) in a sandbox. It asks for AAAA first, and for nothing more if there is one:
        /// a single query and answer.
        private func lookUp(_ profile: String, _ outside: Outside, _ caller: Caller) throws -> Lookup {
            let commands = "date +%s%N; getent hosts \(Outside.name); date +%s%N"
            let output = try outside.check("\(profile) -- sh -c \(Shell.quoted(commands))", as: caller)
            let lines = output.split(separator: "\n").map(String.init)
            try #require(lines.count == 3, "\(output)")
            #expect(outside.nextQuery() == "AAAA", "\(profile)")
            let (start, end) = (try #require(Double(lines[0])), try #require(Double(lines[2])))
            return Lookup(seconds: (end - start) / 1e9, found: lines[1])
        }

        @Test(arguments: Caller.allCases)
        func highLatencyDNSTakesThreeSecondsMore(_ caller: Caller) throws {
            let outside = try Outside()
            try Measurements.settle(stillness: 30) {
                let usual = try lookUp("", outside, caller)
                let slow = try lookUp("'High Latency DNS'", outside, caller)
                for found in [usual.found, slow.found] {
                    #expect(found.hasPrefix(Outside.address.v6) && found.hasSuffix(Outside.name))
                }
                return try Measurements.fault("seconds", slow.seconds, in: 3...3.3 + usual.seconds)
            }
        }

        @Test(arguments: Caller.allCases)
        func resolverIsFoundThroughASymbolicLink(_ caller: Caller) throws {
            let outside = try Outside()
            let command = "getent ahostsv4 \(Outside.name)"
            let output = try outside.check("-- \(command)", as: caller, resolver: .link)
            #expect(output.hasPrefix(Outside.address.v4))
            #expect(outside.nextQuery() == "A")
        }
    }
}
