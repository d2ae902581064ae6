// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import linkcond

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

    /// In the name, the figures, the summary or the source, whatever the case.
    @Test(arguments: [
        (["slow", "NET"], "Slow Net"), (["780", "kbit/s", "3g"], "3G"), (["useyourloaf"], "Slow Net"),
        (["limited", "bandwidth"], "Slow Net"),
    ])
    func listsWhatHasAllTheWords(words: [String], name: String) throws {
        let lines = try Program.start([Program.path, "list"] + words, directory: "/").lines
        #expect((2..<20).contains(lines.count))
        #expect(lines.contains { $0.hasPrefix("\(name)  ") }, "\(lines)")
        let outcome = try Program.start([Program.path, "list", "--json"] + words, directory: "/")
        let list = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
        #expect(list.count == lines.count - 1)
    }

    @Test func saysThatNoProfileHasTheWords() throws {
        let outcome = try Program.run("list", "3G", "carrier pigeon")
        #expect(outcome.status == 66 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("no profile has \"3G\" and \"carrier pigeon\""), "\(outcome)")
        let asJSON = try Program.run("list", "--json", "carrier pigeon")
        #expect(asJSON.status == 66 && asJSON.output == "[]\n")
    }

    /// Scripts get all of it on one line, which a terminal has no room for.
    @Test(.enabled(if: PrivateWorld.isAvailable, PrivateWorld.need), arguments: [60, 80, 120])
    func fitsTheTerminal(width: Int) throws {
        #expect(try Program.run("list").lines.map(\.count).max() ?? 0 > 150)
        try PrivateWorld.check(.tester, "progress.py", "fitTheTerminal(\(width))")
    }

    @Test func wrapsAllButTheFirstColumn() {
        var table = Table(header: ["NAME", "FIGURES", "FROM"])
        table.add(["a name of its own", "7 % lost, 300 ms delay, 2 Mbit/s", "built in"])
        table.add(["b", "-", "/a/path/that/is/long"])
        let lines = table.lines(width: 48).map(\.text)
        #expect(
            lines == [
                "NAME               FIGURES        FROM",
                "a name of its own  7 % lost,      built in",
                "                   300 ms delay,",
                "                   2 Mbit/s",
                "b                  -              /a/path/that/i",
                "                                  s/long",
            ]
        )
        #expect(table.lines().map(\.text.count).max() == 73)
    }
}
