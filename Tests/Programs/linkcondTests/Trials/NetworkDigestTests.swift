// SPDX-License-Identifier: Apache-2.0

import ProfileCatalog
import Reports
import TestKit
import Testing
import Trials

/// Whether two machines mean the same network: the same files elsewhere do, another file of the same name does not.
@Suite struct NetworkDigestTests {
    private func digest(delay: String = "5 ms", recording: String = "1\n5\n", scenario: [String] = []) throws -> String
    {
        let files = try TemporaryDirectory()
        try files.write("cell.trace", recording)
        let trace = #"{"file": "cell.trace", "format": "mahimahi"}"#
        let json = #"{"name": "Cell", "downlink": {"trace": \#(trace), "delay": "\#(delay)"}}"#
        try files.write("cell.json", json)
        let loaded = try LoadedProfile.read(path: "\(files.path)/cell.json")
        return try TrialList.Network("Cell", [loaded], scenario).digest
    }

    @Test func isTheSameInAnotherDirectory() throws {
        let digest = try digest()
        #expect(try digest.count == 64 && self.digest() == digest)
    }

    @Test func changesWithWhatFilesSay() throws {
        let all = [
            try digest(), try digest(delay: "6 ms"), try digest(recording: "1\n6\n"), try digest(scenario: ["a step"]),
        ]
        #expect(Set(all).count == all.count)
    }

    /// Names, and not the addresses that they have on this machine.
    @Test func knowsNoAddressesOfThisMachine() throws {
        let files = try TemporaryDirectory()
        let fault = #"{"match": {"to": "unknown.invalid"}, "do": "lose"}"#
        try files.write("cell.json", #"{"name": "Cell", "faults": [\#(fault)]}"#)
        let loaded = try LoadedProfile.read(path: "\(files.path)/cell.json")
        #expect(throws: Never.self) { try TrialList.Network("Cell", [loaded]) }
    }
}
