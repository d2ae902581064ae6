// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct ScheduleTests {
    private func issues(_ schedule: String) -> [String] {
        Profile.issues(members: "\"schedule\": \(schedule)")
    }

    @Test func readsStepsInOrder() throws {
        let profile = try Profile(
            members: #"""
                "schedule": { "steps": [
                    { "at": "0 s", "downlink": { "rate": "0 bit/s" } },
                    { "at": "100 ms" },
                    { "at": "0.5 min", "downlink": { "delay": "1 s" }, "uplink": {} }
                ], "repeat": "1 min" }
                """#
        )
        let schedule = try #require(profile.schedule)
        #expect(schedule.steps.map(\.at) == [.zero, .milliseconds(100), .seconds(30)])
        #expect(schedule.steps[0].downlink?.rate == BitRate(bitsPerSecond: 0))
        #expect(schedule.steps[1] == Schedule.Step(at: .milliseconds(100)))
        #expect(schedule.steps[2].uplink == Impairments())
        #expect(schedule.repeat == .seconds(60))
        #expect(try profile.rereadFromText() == profile)
    }

    @Test func holdsItsLastStepWhereNothingRepeats() throws {
        let profile = try Profile(members: #""schedule": { "steps": [{ "at": "5 s" }] }"#)
        #expect(profile.schedule == Schedule(steps: [Schedule.Step(at: .seconds(5))]))
        #expect(try profile.rereadFromText() == profile)
    }

    @Test func allowsAHoldInAStepOnly() {
        #expect(issues(#"{ "steps": [{ "at": "1 s", "uplink": { "rate": "0 kbit/s" } }] }"#).isEmpty)
        #expect(Profile.issues(members: #""uplink": { "rate": "0 kbit/s" }"#).count == 1)
    }

    @Test(arguments: [
        (
            #"[{ "at": "5 s" }, { "at": "2 s" }]"#,
            "$.schedule.steps[1].at: the step at 2 s is not after the one at 5 s"
        ),
        (
            #"[{ "at": "1 s" }, { "at": "1000 ms" }]"#,
            "$.schedule.steps[1].at: the step at 1 s is not after the one at 1 s"
        ),
        (#"[{ "at": "1 s" }, {}]"#, "$.schedule.steps[1]: the key \"at\" is missing; expected a time such as \"5 s\""),
    ])
    func wantsTimesThatRise(steps: String, issue: String) {
        #expect(issues("{ \"steps\": \(steps) }") == [issue])
    }

    @Test(arguments: ["5 s", "3 s", "0 s"])
    func startsAgainOnlyAfterItsLastStep(period: String) {
        #expect(issues("{ \"steps\": [{ \"at\": \"5 s\" }], \"repeat\": \"\(period)\" }").count == 1)
    }

    @Test func startsAgainRightAfterItsLastStep() {
        #expect(issues(#"{ "steps": [{ "at": "5 s" }], "repeat": "5.000000001 s" }"#).isEmpty)
        #expect(issues(#"{ "steps": [{ "at": "0 s" }], "repeat": "0 s" }"#).count == 1)
    }

    @Test(arguments: [
        "{}", "[]", "{ \"steps\": [] }", "{ \"steps\": {} }", "{ \"steps\": [1] }", "{ \"repeat\": \"1 s\" }",
    ])
    func refusesWhatIsNoSchedule(schedule: String) {
        #expect(issues(schedule).count == 1)
    }

    @Test func keepsCheckingAfterAnInvalidStep() {
        let found = issues(
            #"{ "steps": [{ "at": "x" }, 1, { "at": "2 s", "uplink": { "delay": 1 } }, { "at": "1 s" }] }"#
        )
        #expect(found.count == 4)
    }
}
