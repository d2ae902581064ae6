// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@Suite struct ValidateTests {
    private static let fixtures = "\(Package.path)/Tests/Support/ProfileFixtures"

    private static func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(fixtures)/\(folder)").filter { $0.hasSuffix(".json") }
            .sorted()
    }

    @Test func refusesEveryBadFileInOneCall() throws {
        let files = try Self.files(in: "bad")
        #expect(files.count > 200)
        let outcome = try Program.start(
            [Program.path, "validate"] + files,
            directory: "\(Self.fixtures)/bad"
        )
        #expect(outcome.status == 65)
        let reported = Set(
            outcome.errors.split(separator: "\n").compactMap { $0.split(separator: ":").dropFirst().first }
        )
        for file in files { #expect(reported.contains(" \(file)"), "\(file) passed") }
        #expect(outcome.output.isEmpty, "\(outcome.output)")
    }

    @Test func acceptsEveryProfileOfThePackage() throws {
        let folder = "\(Package.path)/Profiles"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }
        let outcome = try Program.start([Program.path, "validate"] + files, directory: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == files.count)
        #expect(outcome.errors.isEmpty)
    }

    @Test func acceptsEveryGoodFile() throws {
        let folder = "\(Self.fixtures)/good"
        // Recordings do not lie beside the fixtures.
        let files = try Self.files(in: "good").filter { name in
            try !String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).contains("\"trace\"")
        }
        let outcome = try Program.start([Program.path, "validate"] + files, directory: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == files.count)
    }

    @Test func saysAllMistakesOfAllFiles() throws {
        let directory = try TemporaryDirectory()
        try directory.write("a.json", #"{"name": "A", "uplink": {"delay": "5", "loss": "5"}}"#)
        try directory.write("b.json", #"{"name": "B", "downlink": {"rate": "fast"}}"#)
        try directory.write("c.json", #"{"name": "C"}"#)
        let outcome = try Program.run("validate", "a.json", "b.json", "c.json", directory: directory.path)
        #expect(outcome.status == 65)
        for words in ["a.json:1:35: $.uplink.delay", "a.json:1:48: $.uplink.loss", "b.json:1:36: $.downlink.rate"] {
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        #expect(outcome.output == "c.json: C\n")
    }

    /// A population's keys, shares and networks are checked together.
    @Test func checksPopulations() throws {
        let directory = try TemporaryDirectory()
        let networks = #"[{"profile": "lte", "share": "60 %"}, {"profile": "3G", "share": "40 %"}]"#
        try directory.write("good.json", #"{"name": "Ours", "networks": \#(networks)}"#)
        let unknown = #"[{"profile": "3G", "share": "1"}, {"profile": "3H", "share": "99 %"}]"#
        try directory.write("bad.json", #"{"name": "Ours", "shares": {}, "networks": \#(unknown)}"#)
        let outcome = try Program.run("validate", "good.json", "bad.json", directory: directory.path)
        #expect(outcome.status == 65)
        #expect(outcome.output == "good.json: Ours (population)\n")
        for words in [
            "$.shares: unknown key; expected one of name, source, networks, $schema", "[0].share: \"1\" has no unit",
            "no profile is called \"3H\"; did you mean \"3G\"?",
        ] {
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    @Test func refusesTwoFilesOfOneName() throws {
        let directory = try TemporaryDirectory()
        try directory.write("a.json", #"{"name": "Slow Net"}"#)
        try directory.write("b.json", #"{"name": "slow-net"}"#)
        let outcome = try Program.run("validate", "a.json", "b.json", directory: directory.path)
        #expect(outcome.status == 65)
        #expect(outcome.errors == "linkcond: b.json: the name \"slow-net\" is taken by a.json\n")
    }

    @Test func missesAFile() throws {
        let directory = try TemporaryDirectory()
        try directory.write("bad.json", "{}")
        let missing = try Program.run("validate", "missing.json", directory: directory.path)
        #expect(missing.status == 66)
        #expect(missing.errors.contains("cannot read missing.json: No such file or directory"))
        #expect(missing.errors.contains("try: linkcond validate *.json\n"))
        for order in [["missing.json", "bad.json"], ["bad.json", "missing.json"]] {
            let outcome = try Program.start([Program.path, "validate"] + order, directory: directory.path)
            #expect(outcome.status == 65)
        }
    }

    @Test func missesATraceBesideAProfile() throws {
        let directory = try TemporaryDirectory()
        let profile = #"{"name": "Bus", "downlink": {"trace": {"file": "bus.txt", "format": "mahimahi"}}}"#
        try directory.write("bus.json", profile)
        let outcome = try Program.run("validate", "\(directory.path)/bus.json")
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("cannot read \(directory.path)/bus.txt"))
        try directory.write("bus.txt", "1\n2\n3\n")
        #expect(try Program.run("validate", "\(directory.path)/bus.json").status == 0)
    }

    @Test func needsAFile() throws {
        #expect(try Program.run("validate").status == 64)
        #expect(try Program.run("validate", "-").status == 65)
    }
}
