// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@Suite struct ShowScenarioTests {
    private static let good = "\(Package.path)/Tests/Support/ScenarioFixtures/good"
    private static let bad = "\(Package.path)/Tests/Support/ScenarioFixtures/bad"

    @Test func drawsTheTimeline() throws {
        let outcome = try Program.run("show", "./into-the-lift.json", directory: Self.good)
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                Into the lift

                        0 s  ●  "Slow Net"
                             │    100 ms delay, 32 kbit/s, both ways
                             │    200 ms more for packets to port 53
                             ┊
                             ┊  t1: 10 kB carried
                             ┊
                         t1  ●  in the lift: "Black Hole"
                             │    downlink 100 % lost
                             │    uplink untouched
                             │
                             │
                             │  20 s
                             │
                             │
                  t1 + 20 s  ●  out again: "Slow Net"
                             │    100 ms delay, 32 kbit/s, both ways
                             │    200 ms more for packets to port 53
                             ▼

                  expect    times out within 10 s of 'in the lift'
                            at most 6 connection attempts during 'in the lift'
                            recovers within 5 s of 'out again'
                            leaves no connection open
                  from      ./into-the-lift.json

                """
        )
    }

    @Test func tellsWhatAStepDrops() throws {
        let outcome = try Program.run("show", "./every-key.json", directory: Self.good)
        let words = "drops the packets that the link holds"
        #expect(outcome.output.contains("uplink untouched\n         │    \(words)"), "\(outcome.output)")
        #expect(outcome.output.matches(of: /drops the packets/).count == 1)
        let json = try Program.run("show", "./every-key.json", "--json", directory: Self.good).output
        #expect(json.contains(#""queued": "dropped""#) && !json.contains("delivered"))
    }

    @Test func keepsToEightyColumns() throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: Self.good) {
            let outcome = try Program.run("show", "./\(file)", directory: Self.good)
            #expect(outcome.lines.allSatisfy { $0.count <= 80 }, "\(outcome.output)")
            #expect(!outcome.output.contains("\u{1B}"))
        }
    }

    @Test func printsJSONThatValidateAccepts() throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: Self.good) {
            let json = try Program.run("show", "./\(file)", "--json", directory: Self.good).output
            #expect(try Program.run("show", "-", "--json", input: json).output == json)
            #expect(try Program.run("validate", "-", input: json).status == 0)
        }
    }

    @Test(arguments: [["--tc", "-i", "lo"], ["--downlink", "delay=5 ms"]])
    func refusesWhatIsForProfiles(options: [String]) throws {
        let command = [Program.path, "show", "./no-steps.json"] + options
        let outcome = try Program.start(command, directory: Self.good)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("for a profile"), "\(outcome.errors)")
    }

    @Test func validatesScenariosBesideProfiles() throws {
        let outcome = try Program.run(
            "validate",
            "into-the-lift.json",
            "\(Package.path)/Profiles/slow-net.json",
            directory: Self.good
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.first == "into-the-lift.json: Into the lift (scenario)")
        #expect(outcome.lines.count == 2)
    }

    @Test func refusesEveryBadScenario() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.bad).filter {
            // One of them is a good profile.
            $0.hasSuffix(".json") && $0 != "profile-itself.json"
        }
        let outcome = try Program.start([Program.path, "validate"] + files, directory: Self.bad)
        #expect(outcome.status == 65)
        #expect(outcome.output.isEmpty, "\(outcome.output)")
        let reported = Set(
            outcome.errors.split(separator: "\n").compactMap { $0.split(separator: ":").dropFirst().first }
        )
        for file in files { #expect(reported.contains(" \(file)"), "\(file) passed") }
    }

    @Test func reportsUnknownProfilesWithAllOtherMistakes() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            "a.json",
            """
            { "name": "A", "profile": "Slow Nut",
              "steps": [ { "label": "a", "after": "5", "profile": "Mine" } ] }
            """
        )
        let outcome = try Program.run("validate", "a.json", directory: directory.path)
        #expect(outcome.status == 65)
        #expect(
            outcome.errors.split(separator: "\n").map { $0.split(separator: ";").first ?? "" } == [
                #"linkcond: a.json:1:27: $.profile: no profile is called "Slow Nut""#,
                #"linkcond: a.json:2:39: $.steps[0].after: "5" has no unit"#,
                #"linkcond: a.json:2:55: $.steps[0].profile: no profile is called "Mine""#,
            ]
        )
        try directory.write("mine.json", #"{ "name": "Mine" }"#)
        let found = try Program.run("validate", "--profile-path", ".", "a.json", directory: directory.path)
        #expect(!found.errors.contains("Mine"), "\(found.errors)")
    }
}
