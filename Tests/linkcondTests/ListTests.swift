// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@Suite struct ListTests {
    /// Runs a copy of the program where nothing of this package is near.
    private static func installed(_ arguments: String...) throws -> CommandResult {
        let directory = try TemporaryDirectory()
        let copy = "\(directory.path)/linkcond"
        try Program.copy(to: copy)
        return try Program.start([copy] + arguments, directory: "/")
    }

    @Test func findsTheBuiltInProfilesFromAnywhere() throws {
        let outcome = try Self.installed("list")
        #expect(outcome.status == 0)
        #expect(outcome.lines.count { $0.hasSuffix("built in") } >= 40)
        #expect(outcome.errors.isEmpty)
        for name in ["Slow Net", "Nasty Net", "Black Hole"] {
            #expect(outcome.lines.contains { $0.hasPrefix("\(name)  ") })
            #expect(try Self.installed("show", name).status == 0)
        }
    }

    @Test func setsItsColumnsBelowEachOther() throws {
        let lines = try Program.run("list").lines
        let header = try #require(lines.first)
        #expect(header.split(separator: " ") == ["PROFILE", "DOWNLINK", "UPLINK", "DNS", "FROM"])
        let column = try #require(header.range(of: "FROM")).lowerBound.utf16Offset(in: header)
        #expect(lines.dropFirst().allSatisfy { $0.dropFirst(column) == "built in" })
    }

    @Test func printsJSON() throws {
        let outcome = try Program.run("list", "--json")
        let list = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
        #expect(list.count >= 40)
        #expect(list.allSatisfy { $0["name"] is String && $0["origin"] as? String == "built in" })
        let names = list.compactMap { ($0["name"] as? String)?.lowercased() }
        #expect(names == names.sorted())
        #expect(Set(names).count == names.count)
    }

    @Test func showsTheNearerOfTwoWithOneName() throws {
        let directory = try TemporaryDirectory()
        try directory.write("mine.json", #"{"name": "slow net", "uplink": {"delay": "7 ms"}}"#)
        try directory.write("broken.json", "{")
        let outcome = try Program.run("list", "--profile-path", directory.path)
        #expect(outcome.status == 0)
        let slow = outcome.lines.filter { $0.lowercased().hasPrefix("slow net ") }
        #expect(slow.count == 1)
        #expect(slow.first?.contains("7 ms delay") == true)
        #expect(outcome.errors.contains("broken.json:1:2: $: not JSON"))
    }
}
