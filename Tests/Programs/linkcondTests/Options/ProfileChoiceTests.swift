// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The choice of a profile, and the errors if there is none.
@Suite struct ProfileChoiceTests {
    @Test func suggestsTheNearestName() throws {
        let outcome = try Program.run("show", "Slwo Net")
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("no profile is called \"Slwo Net\"; did you mean \"Slow Net\"?"))
        #expect(outcome.errors.contains("try: linkcond list"))
    }

    @Test func suggestsNothingWhereNothingIsNear() throws {
        let outcome = try Program.run("show", "zzzzzzzzzzzz")
        #expect(outcome.status == 66)
        #expect(!outcome.errors.contains("did you mean"))
    }

    @Test(arguments: ["slow net", "slow-net", "SLOWNET", "Slow  Net"])
    func findsANameHoweverItIsSpelled(name: String) throws {
        let outcome = try Program.run("show", name)
        #expect(outcome.status == 0)
        #expect(outcome.lines.first == "Slow Net")
    }

    @Test func findsAFileByItsPath() throws {
        let directory = try TemporaryDirectory()
        try directory.write("mine.json", #"{"name": "Mine", "uplink": {"delay": "10 ms"}}"#)
        #expect(try Program.run("show", "\(directory.path)/mine.json").lines.first == "Mine")
        #expect(try Program.run("show", "mine.json", directory: directory.path).lines.first == "Mine")
        #expect(try Program.run("show", "mine", "--profile-path", directory.path).lines.first == "Mine")
        let missing = try Program.run("show", "./missing.json", directory: directory.path)
        #expect(missing.status == 66)
        let words = "linkcond: cannot read ./missing.json: No such file or directory\n"
        #expect(missing.errors == words + "linkcond: try: another path; \"linkcond list\" has the names of profiles\n")
    }

    @Test func refusesADirectoryForAProfile() throws {
        let directory = try TemporaryDirectory()
        let outcome = try Program.run("show", directory.path)
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("cannot read \(directory.path): Is a directory"))
    }

    @Test func readsStandardInput() throws {
        let profile = #"{"name": "Piped", "downlink": {"loss": "5 %"}}"#
        let outcome = try Program.run("show", "-", input: profile)
        #expect(outcome.status == 0)
        #expect(outcome.lines.first == "Piped")
        #expect(outcome.output.contains("standard input"))
    }

    @Test func refusesAnEmptyStandardInput() throws {
        let outcome = try Program.run("show", "-")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("standard input:1:1: $: not JSON: the text is empty"))
    }

    @Test func saysEveryMistakeOfAFile() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            "bad.json",
            """
            {
              "name": "Bad",
              "downlink": { "rate": "32", "delay": "100 hours", "los": "1 %" },
              "uplink": { "loss": "101 %" }
            }
            """
        )
        let outcome = try Program.run("show", "./bad.json", directory: directory.path)
        #expect(outcome.status == 65)
        let places = outcome.errors.split(separator: "\n").map {
            $0.split(separator: " ").prefix(3).joined(separator: " ")
        }
        #expect(
            Set(places) == [
                "linkcond: ./bad.json:3:25: $.downlink.rate:", "linkcond: ./bad.json:3:40: $.downlink.delay:",
                "linkcond: ./bad.json:3:53: $.downlink.los:", "linkcond: ./bad.json:4:23: $.uplink.loss:",
            ]
        )
        #expect(outcome.errors.contains("did you mean \"loss\"?"))
        #expect(outcome.output.isEmpty)
    }

    @Test func saysThatANearerFileOfThatNameIsBroken() throws {
        let directory = try TemporaryDirectory()
        try directory.write("slow-net.json", #"{"name": "Slow Net", "uplink": {"delay": 5}}"#)
        let outcome = try Program.run("show", "Slow Net", "--profile-path", directory.path)
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("slow-net.json:1:"))
    }

    @Test func saysWhichFileHidesABuiltInProfile() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("own.json", #"{"name": "Slow Net", "uplink": {"delay": "1 ms"}}"#).path
        let options = ["--offline", "--profile-path", directory.path]
        for (profile, origin) in [("slow-net", "\(directory.path)/own.json"), (file, file)] {
            let outcome = try Program.start([Program.path, "run", profile] + options + ["--", "true"])
            let note = "note: \"Slow Net\" is \(origin), not the built-in profile"
            #expect(outcome.errors.contains(note), "\(outcome)")
        }
        let plain = try Program.start([Program.path, "run", "3G"] + options + ["--", "true"])
        #expect(!plain.errors.contains("not the built-in profile"), "\(plain)")
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to give files to others"))
    func rootUsesNoProfileOfAnotherUser() throws {
        let directory = try TemporaryDirectory()
        try directory.write("own.json", #"{"name": "Slow Net", "summary": "planted"}"#)
        let plant = """
            mkdir \(directory.path)/Profiles && mv \(directory.path)/own.json \(directory.path)/Profiles &&
            chown -R nobody \(directory.path)/Profiles
            """
        try Program.shell(plant).requireSuccess()
        let outcome = try Program.run("show", "Slow Net", directory: directory.path)
        #expect(outcome.output.contains("built in") && !outcome.output.contains("planted"), "\(outcome)")
        #expect(outcome.errors.contains("note: ./Profiles is not searched: it belongs to uid 65534"), "\(outcome)")
        // The owner's own, and that of the user who called sudo.
        let installation = try Installation(for: .nobody)
        let own = installation.caller.words + [installation.path, "show", "Slow Net"]
        for command in [own, ["env", "SUDO_UID=65534", Program.path, "show", "Slow Net"]] {
            let outcome = try Program.start(command, directory: directory.path)
            #expect(outcome.output.contains("planted") && outcome.errors.isEmpty, "\(outcome)")
        }
    }
}
