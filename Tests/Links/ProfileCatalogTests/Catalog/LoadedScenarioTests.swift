// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ProfileCatalog

@Suite struct LoadedScenarioTests {
    private let directory: TemporaryDirectory
    private let catalog: Catalog

    init() throws {
        directory = try TemporaryDirectory()
        catalog = Catalog(directories: [try directory.makeDirectory("profiles")])
    }

    private func read(_ text: String, check: LoadedScenario.ExpectationCheck = { _, _ in [] }) throws -> LoadedScenario
    {
        let path = try directory.write(text, to: "scenario.json")
        return try LoadedScenario.read(path: path, catalog: catalog, check: check)
    }

    /// The mistakes of the file, one a line, without its directory.
    private func mistakes(
        _ text: String,
        check: LoadedScenario.ExpectationCheck = { _, _ in [] }
    ) throws -> [Substring] {
        do {
            _ = try read(text, check: check)
            return []
        } catch let error as CatalogError {
            return error.description.split(separator: "\n").map { $0.dropFirst(directory.path.count + 1) }
        }
    }

    @Test func findsProfilesByNameByPathAndInside() throws {
        try directory.writeProfile("Mine", summary: "named", to: "profiles/mine.json")
        try directory.writeProfile("Other", summary: "beside", to: "other.json")
        let loaded = try read(
            """
            { "name": "All", "profile": "slow-net", "steps": [
              { "label": "a", "after": "1 s", "profile": "mine" },
              { "label": "b", "after": "1 s", "profile": "other.json" },
              { "label": "c", "after": "1 s", "profile": { "name": "Inline" } } ] }
            """
        )
        #expect(loaded.first.profile.name == "Slow Net")
        #expect(loaded.steps.map(\.profile.name) == ["Mine", "Other", "Inline"])
        #expect(loaded.steps.map(\.profile.summary) == ["named", "beside", nil])
        #expect(loaded.scenario.steps.map(\.label) == ["a", "b", "c"])
    }

    @Test func findsTheRecordingsOfAnInlineProfileBesideTheScenario() throws {
        try directory.write("1\n2\n3\n", to: "bus.txt")
        let trace = #"{ "trace": { "file": "bus.txt", "format": "mahimahi" } }"#
        let loaded = try read(#"{ "name": "Bus", "profile": { "name": "Bus", "downlink": \#(trace) } }"#)
        #expect(try loaded.first.traces().count == 1)
    }

    @Test func reportsUnknownProfilesWithAllOtherMistakes() throws {
        let lines = try mistakes(
            """
            { "name": "Bad", "profile": "Slow Nut", "steps": [
              { "label": "", "after": "1 s", "profile": "Black Whole" },
              { "label": "b", "after": "1", "profile": "Nothing of the kind" } ],
              "expect": ["dances"] }
            """,
            check: { expect, labels in expect.map { $0.issue("unknown verb after \(labels.count) labels") } }
        )
        #expect(
            lines == [
                #"scenario.json:1:29: $.profile: no profile is called "Slow Nut"; did you mean "Slow Net"?"#,
                "scenario.json:2:14: $.steps[0].label: the label is empty",
                #"scenario.json:2:45: $.steps[0].profile: no profile is called "Black Whole"; did you mean "Black Hole"?"#,
                #"scenario.json:3:28: $.steps[1].after: "1" has no unit; expected a time with its unit, such as "5 s"; did you mean "1 s"?"#,
                #"scenario.json:3:44: $.steps[1].profile: no profile is called "Nothing of the kind""#,
                "scenario.json:4:14: $.expect[0]: unknown verb after 1 labels",
            ]
        )
    }

    @Test func saysWhatIsWrongWithANamedProfile() throws {
        try directory.write(#"{ "name": "Mine", "uplink": { "loss": "5" } }"#, to: "profiles/mine.json")
        let lines = try mistakes(#"{ "name": "Bad", "profile": "mine" }"#)
        #expect(lines.count == 1)
        #expect(lines.first?.contains("$.profile: cannot use this profile: ") == true)
        #expect(lines.first?.contains("profiles/mine.json:1:39: $.uplink.loss: \"5\" has no unit") == true)
        let missing = try mistakes(#"{ "name": "Bad", "profile": "./none.json" }"#)
        #expect(missing.first?.hasSuffix("none.json: No such file or directory") == true)
    }

    @Test func tellsScenariosFromProfiles() throws {
        let profile = try directory.write(#"{ "name": "Mine" }"#, to: "a.json")
        let scenario = try directory.write(#"{ "name": "Both", "profile": "3G" }"#, to: "b.json")
        guard case .profile(let loaded) = try LoadedFile.read(path: profile, catalog: catalog) else {
            Issue.record("the profile was taken for a scenario")
            return
        }
        #expect(loaded.profile.name == "Mine")
        guard case .scenario(let found) = try LoadedFile.read(path: scenario, catalog: catalog) else {
            Issue.record("the scenario was taken for a profile")
            return
        }
        #expect(found.first.profile.name == "3G")
    }
}
