// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct ScenarioReadingTests {
    private func issues(_ text: String) -> [String] {
        do throws(InvalidProfile) {
            _ = try Scenario(utf8: text.utf8)
            return []
        } catch {
            return error.issues.map(\.description)
        }
    }

    /// What a step does not say stays: its profile with the faults that hold there.
    @Test func aStepThatChangesTheNetworkKeepsProfileAndFaults() throws {
        let text = """
            {
              "name": "Moved",
              "profile": "LTE",
              "steps": [
                { "label": "a", "after": "1 s", "profile": "3G", "faults": [{ "match": {}, "do": "lose" }] },
                { "label": "b", "after": "1 s", "link": "down" },
                { "label": "c", "after": "1 s", "address": "new" },
                { "label": "d", "after": "1 s", "link": "up" },
                { "label": "e", "after": "1 s", "link": "down", "profile": "LTE" },
                { "label": "f", "after": "1 s", "hand over": { "overlap": "1 s" } },
                { "label": "g", "after": "1 s", "hand over": { "profile": "Wi-Fi" } }
              ]
            }
            """
        let steps = try Scenario(utf8: text.utf8).steps
        #expect(steps.map(\.profile.name) == ["3G", "3G", "3G", "3G", "LTE", "LTE", "Wi-Fi"])
        #expect(steps.map { $0.faults?.count } == [1, 1, 1, 1, nil, nil, nil])
        #expect(steps.map(\.changes.handOver?.overlap) == [nil, nil, nil, nil, nil, .seconds(1), nil])
        #expect(steps.map { $0.changes.handOver != nil } == [false, false, false, false, false, true, true])
    }

    /// What a step does not say stays as it was on its path.
    @Test func eachPathKeepsItsProfile() throws {
        let text = """
            {
              "name": "Two",
              "paths": { "wifi0": "Wi-Fi", "cell0": "LTE" },
              "steps": [
                { "label": "a", "after": "1 s", "path": "wifi0", "link": "down" },
                { "label": "b", "after": "1 s", "path": "cell0", "profile": "3G" },
                { "label": "c", "after": "1 s", "path": "wifi0", "link": "up" },
                { "label": "d", "after": "1 s", "path": "cell0", "nat": "rebind" }
              ]
            }
            """
        let scenario = try Scenario(utf8: text.utf8)
        #expect(scenario.profile.choice == .inline(.unconditioned))
        #expect(scenario.steps.map(\.profile.name) == ["Wi-Fi", "3G", "Wi-Fi", "3G"])
        #expect(scenario.steps.map(\.path) == ["wifi0", "cell0", "wifi0", "cell0"])
        #expect(try Scenario(json: scenario.json).json.text == scenario.json.text)
    }

    @Test func reportsAllMistakesAtOnce() {
        let issues = issues(
            """
            {
              "name": "Lift",
              "profil": "Slow Net",
              "steps": [
                { "label": "", "after": "5", "profile": { "name": "x", "uplink": { "loss": "5" } } },
                { "label": "b", "after": { "bytes": "0 B" } }
              ],
              "repeat": 0
            }
            """
        )
        #expect(
            issues.map { $0.split(separator: ";")[0] } == [
                "3:3: $.profil: unknown key",
                "5:16: $.steps[0].label: the label is empty",
                "5:29: $.steps[0].after: \"5\" has no unit",
                "5:80: $.steps[0].profile.uplink.loss: \"5\" has no unit",
                "6:5: $.steps[1]: the key \"profile\" is missing",
                "6:41: $.steps[1].after.bytes: a step that waits for no bytes begins at once",
                "8:13: $.repeat: found 0",
            ]
        )
    }

    @Test func tellsWhereExpectationsAndProfilesStand() throws {
        let scenario = try Scenario(
            utf8: """
                { "name": "Lift", "profile": "Slow Net",
                  "expect": [ "exits with 0",
                              "completes within 30 s" ] }
                """.utf8
        )
        let last = try #require(scenario.expect.last)
        #expect(last.path.description == "$.expect[1]")
        #expect(last.position == JSON.Position(line: 3, column: 15))
        #expect(last.issue("no verb").description == "3:15: $.expect[1]: no verb")
        #expect(scenario.profile.path.description == "$.profile")
        #expect(scenario.profile.position == JSON.Position(line: 1, column: 30))
    }

    @Test func runsOnceUnlessItSays() throws {
        #expect(try Scenario(utf8: #"{ "name": "x", "profile": "3G" }"#.utf8).repeat == 1)
    }

    @Test func tellsScenariosFromProfiles() throws {
        for text in [#"{ "steps": [] }"#, #"{ "profile": "3G" }"#, #"{ "name": "x", "expect": [] }"#] {
            #expect(Scenario.isDescribed(by: try JSON(utf8: text.utf8)))
        }
        let others = [
            #"{ "name": "x", "schedule": { "steps": [] } }"#, #"{ "steps": [], "downlink": {} }"#, "{}", "[]",
            "\"steps\"",
        ]
        for text in others {
            #expect(!Scenario.isDescribed(by: try JSON(utf8: text.utf8)))
        }
    }

    /// What expectations may refer to, beside what the client marks on its own.
    @Test func listsTheLabelsOfStepsAndTheMarksThatTheyWaitFor() throws {
        let json = try JSON(
            utf8: #"""
                {"name": "n", "profile": "3G", "steps": [
                  {"label": "dark", "after": {"mark": "cancelled"}, "profile": "Black Hole"},
                  {"label": "back", "after": "2 s", "profile": "3G"}]}
                """#.utf8
        )
        let draft = ScenarioDraft(json: json)
        #expect(draft.labels == ["dark", "back", "cancelled"] && draft.scenario?.labels == draft.labels)
    }

    @Test func saysThatAScenarioIsNoProfile() {
        let issues = Profile.issues(members: #""profile": "3G", "steps": []"#)
        #expect(issues == ["$: this is a scenario; expected a profile"])
    }

    /// What a scenario with mistakes names can still be looked up.
    @Test func keepsTheProfilesOfAScenarioWithMistakes() throws {
        let draft = ScenarioDraft(
            json: try JSON(utf8: #"{ "profile": "Slow Nut", "steps": [{ "label": "a", "profile": "Nope" }] }"#.utf8)
        )
        #expect(draft.scenario == nil)
        #expect(draft.references.map(\.name) == ["Slow Nut", "Nope"])
        #expect(draft.labels == ["a"])
    }

    @Test(arguments: [
        ("in the lift", nil), ("é", nil), ("a/b \"c\"", nil), ("", "is empty"), (" \t", "is empty"),
        ("a\n", "contains a control character"), ("a\u{202E}b", "contains a control character"),
        (" a", "begins or ends with a space"),
    ])
    func limitsLabels(text: String, problem: String?) {
        #expect(Label.problem(with: text) == problem)
    }

    @Test func saysWhatATriggerWaitsFor() {
        let triggers: [Trigger] = [
            .time(.seconds(20)), .bytes(ByteCount(bytes: 10_000)), .connections(1), .connections(2), .mark("cancelled"),
        ]
        #expect(
            triggers.map(\.description) == ["20 s", "10 kB", "1 connection", "2 connections", "mark 'cancelled'"]
        )
    }
}
