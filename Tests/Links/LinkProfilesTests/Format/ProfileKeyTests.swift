// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct ProfileKeyTests {
    @Test func readsTextsAndSeed() throws {
        let profile = try Profile(
            members: #""summary": "One line", "source": "judgement", "seed": 18446744073709551615"#
        )
        #expect(profile.name == "Test")
        #expect(profile.summary == "One line")
        #expect(profile.source == "judgement")
        #expect(profile.seed == .max)
        #expect(try profile.rereadFromText() == profile)
    }

    @Test func readsTheDelayOfNameResolution() throws {
        let profile = try Profile(members: #""dns": { "delay": "3 s" }"#)
        #expect(profile.dns == DNSImpairment(delay: .seconds(3)))
        #expect(try profile.rereadFromText() == profile)
    }

    @Test func leavesAbsentWhatIsAbsent() throws {
        let profile = try Profile(utf8: "{ \"name\": \"Nothing\" }".utf8)
        #expect(profile == Profile(name: "Nothing"))
        #expect(profile.json.line == "{ \"name\": \"Nothing\" }")
    }

    @Test func distinguishesAnEmptyDirectionFromAnAbsentOne() throws {
        let profile = try Profile(members: #""downlink": {}"#)
        #expect(profile.downlink == Impairments())
        #expect(profile.uplink == nil)
        #expect(try profile.rereadFromText() == profile)
    }

    @Test func passesOverTheAddressOfTheSchema() throws {
        let profile = try Profile(members: #""$schema": "profile.schema.json""#)
        #expect(profile == Profile(name: "Test"))
    }

    @Test func isSymmetricWhereBothDirectionsAreAlike() throws {
        #expect(try Profile(members: #""downlink": { "delay": "1 ms" }, "uplink": { "delay": "1000 us" }"#).isSymmetric)
        #expect(try !Profile(members: #""downlink": { "delay": "1 ms" }"#).isSymmetric)
        #expect(Profile(name: "Nothing").isSymmetric)
    }

    @Test func pointsAtTheValueThatIsWrong() throws {
        let text = "{\n  \"name\": \"Test\",\n  \"downlink\": {\n    \"rate\": 32\n  }\n}"
        do throws(InvalidProfile) {
            _ = try Profile(utf8: text.utf8)
            Issue.record("a rate without a unit was read")
        } catch {
            let issue = try #require(error.issues.first)
            #expect(issue.position == JSON.Position(line: 4, column: 13))
            #expect(
                "\(issue)" == "4:13: $.downlink.rate: 32 has no unit; expected a rate with its unit, "
                    + "such as \"32 kbit/s\"; did you mean \"32 kbit/s\"?"
            )
        }
    }

    @Test func reportsEveryMistakeOfAFile() {
        let issues = Profile.issues(
            members: #""colour": 1, "downlink": { "rate": 32, "loss": "101 %" }, "dns": {}, "seed": -1"#
        )
        #expect(issues.count == 5)
    }

    /// A key that is missing while a similar one is rightly there must still be called missing.
    @Test(arguments: ["p31", "p14", "p23"])
    func saysWhichKeyIsMissingBesideASimilarOne(key: String) {
        let issues = Profile.issues(members: "\"downlink\": { \"loss\": { \"fourState\": { \"\(key)\": \"1 %\" } } }")
        #expect(issues.count == 1)
        #expect(issues.first?.hasPrefix("$.downlink.loss.fourState: the key \"p13\" is missing") == true)
    }

    @Test func doesNotCallAMisspeltKeyMissingToo() {
        #expect(
            Profile.issues(members: #""dns": { "dealy": "1 s" }"#) == [
                "$.dns.dealy: unknown key; did you mean \"delay\"?"
            ]
        )
    }
}
