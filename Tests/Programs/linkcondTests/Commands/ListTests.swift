// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import linkcond

@Suite struct ListTests {
    /// Runs a copy of the program where nothing of this package is near.
    private static func installed(_ arguments: String...) throws -> CommandResult { try installed(arguments) }

    private static func installed(_ arguments: [String]) throws -> CommandResult {
        let directory = try TemporaryDirectory()
        let copy = "\(directory.path)/linkcond"
        try Program.copy(to: copy)
        return try Program.start([copy] + arguments, directory: "/")
    }

    /// Data rows of the first eight profiles, from mild to dead.
    private static let start = [
        "wi-fi", "starlink", "lte", "3g", "edge", "very-bad-network", "slow-net", "black-hole",
    ]

    @Test func startsWithEightProfilesAndSaysHowToFindOthers() throws {
        let outcome = try Self.installed("list")
        #expect(outcome.status == 0)
        let names = outcome.lines.dropFirst().compactMap { $0.split(separator: " ").first.map(String.init) }
        // Profiles of equal figures are named below, after "also".
        #expect(names.filter { $0 != "also" } == Self.start, "\(outcome)")
        #expect(outcome.lines.first?.split(separator: " ") == ["PROFILE", "RATE", "DOWN/UP", "DELAY", "LOSS", "LIKE"])
        #expect(outcome.errors.contains("linkcond list --all") && outcome.errors.contains(" in all\n"), "\(outcome)")
        for name in Self.start { #expect(try Self.installed("show", name).status == 0) }
    }

    @Test func listsEveryProfileByOrigin() throws {
        let outcome = try Self.installed("list", "--all")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        for line in ["Apple's Network Link Conditioner", "Chrome DevTools", "    also 3g-average, atc-3g-average"] {
            #expect(outcome.lines.contains { $0 == line }, "\(outcome)")
        }
        let words = Set(outcome.output.split { " \n,:".contains($0) }.map(String.init))
        for name in ["nasty-net", "mtu-hole", "lift", "rmcat-default", "atc-no-connectivity"] {
            #expect(words.contains(name), "\(name)")
        }
    }

    @Test(arguments: [[], ["--all"], ["3g"], ["offline"], ["--broken"]])
    func fitsEightyColumnsInAPipe(arguments: [String]) throws {
        let outcome = try Self.installed(["list"] + arguments)
        #expect(outcome.lines.map(\.count).max() ?? 0 <= 80, "\(outcome)")
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
        let slow = outcome.lines.filter { $0.hasPrefix("slow-net ") }
        #expect(slow.count == 1 && slow.first?.contains("-/7 ms") == true, "\(outcome)")
        #expect(outcome.lines.contains { $0 == directory.path }, "\(outcome)")
        #expect(outcome.errors.contains("broken.json:1:2: $: not JSON"))
    }

    /// In the name, the figures, the summary or the source, whatever the case, or as another word for it.
    @Test(arguments: [
        (["slow", "NET"], "Slow Net"), (["780", "kbit/s", "3g"], "3G"), (["useyourloaf"], "Slow Net"),
        (["limited", "bandwidth"], "Slow Net"), (["offline"], "Black Hole"), (["subway"], "Lift"),
    ])
    func listsWhatHasAllTheWords(words: [String], name: String) throws {
        let outcome = try Program.start([Program.path, "list", "--json"] + words, directory: "/")
        let list = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
        #expect((1..<20).contains(list.count) && list.contains { $0["name"] as? String == name }, "\(outcome)")
        let lines = try Program.start([Program.path, "list"] + words, directory: "/").lines
        let short = name.lowercased().replacing(" ", with: "-")
        #expect(lines.contains { $0.hasPrefix("\(short) ") }, "\(lines)")
    }

    @Test func saysThatNoProfileHasTheWords() throws {
        let outcome = try Program.run("list", "3G", "carrier pigeon")
        #expect(outcome.status == 66 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("no profile has \"3G\" and \"carrier pigeon\""), "\(outcome)")
        let asJSON = try Program.run("list", "--json", "carrier pigeon")
        #expect(asJSON.status == 66 && asJSON.output == "[]\n")
    }

    @Test(.enabled(if: PrivateWorld.isAvailable, PrivateWorld.need), arguments: [60, 80, 120])
    func fitsTheTerminal(width: Int) throws {
        try PrivateWorld.check(.tester, "progress.py", "fitTheTerminal(\(width))")
    }

    @Test func namesBrokenNetworksAsItNamesProfiles() throws {
        let directory = try TemporaryDirectory()
        let fault = #"{"name": "My Fault", "faults": [{"match": {"protocol": "udp"}, "do": "lose"}]}"#
        try directory.write("mine.json", fault)
        let lines = try Program.run("list", "--broken", "--profile-path", directory.path).lines
        #expect(lines.first?.split(separator: " ") == ["PROFILE", "FAULT"], "\(lines)")
        #expect(lines.contains { $0.hasPrefix("reset-by-middlebox  reset: tcp") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("nat-rebinding ") } && !lines.contains { $0.contains("built in") })
        #expect(lines.contains { $0 == directory.path } && lines.last?.hasPrefix("my-fault ") == true, "\(lines)")
    }

    @Test func saysWhatAProfileIsLikeInSentences() throws {
        let lines = try Self.installed("list").lines
        #expect(lines.contains { $0.hasSuffix("  Good Wi-Fi at home") }, "\(lines)")
        #expect(lines.contains { $0.contains(" 100 % down ") }, "\(lines)")
    }

    @Test func wrapsSentencesAtSpaces() {
        let text = "A link on the way, with a bad cable, 2.9 % on average"
        let narrow = ["A link on the way,", "with a bad cable,", "2.9 % on average"]
        let wide = ["A link on the way, with", "a bad cable, 2.9 % on", "average"]
        #expect(WrappedText.lines(of: text, width: 22) == narrow)
        #expect(WrappedText.lines(of: text, width: 24) == wide)
        #expect(WrappedText.lines(of: "lost are 2 %", width: 10) == ["lost are", "2 %"])
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
