// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct CompetingListTests {
    private static let both = #""downlink": { "rate": "1 Mbit/s" }, "uplink": { "rate": "1 Mbit/s" }"#

    private func words(_ texts: String..., over members: String = both) throws -> [[String]?] {
        let profile = try CompetingList.overriding(Profile(members: members), by: texts)
        return [profile.downlink, profile.uplink].map { $0?.competing?.map(\.words) }
    }

    private func problem(_ texts: String..., over members: String = both) throws -> String? {
        let profile = try Profile(members: members)
        do {
            _ = try CompetingList.overriding(profile, by: texts)
            return nil
        } catch {
            return error.issues[0].withoutPosition
        }
    }

    @Test func usesTheDirectionOfItsWords() throws {
        #expect(try words("2 bulk up") == [nil, ["2 long TCP flows"]])
        #expect(try words("video 8 Mbit/s both") == [["a film of 8 Mbit/s"], ["a film of 8 Mbit/s"]])
        #expect(try words("call 100 kbit/s downlink") == [["a call of 100 kbit/s"], nil])
    }

    @Test func usesTheDownlinkForAllButCalls() throws {
        #expect(try words("bulk") == [["a long TCP flow"], nil])
        #expect(try words("web 3 pages a minute") == [["a reader of 3 pages a minute"], nil])
        #expect(try words("call 100 kbit/s") == [["a call of 100 kbit/s"], ["a call of 100 kbit/s"]])
    }

    @Test func addsUp() throws {
        let expected = [["a long TCP flow", "a film of 8 Mbit/s"], ["a long TCP flow"]]
        #expect(try words("bulk both", "video 8 Mbit/s") == expected)
        #expect(try words("bulk+video 8 Mbit/s+bulk up") == expected)
    }

    @Test func replacesTheProfilesOwnInItsDirections() throws {
        let shared = #""downlink": { "rate": "1 Mbit/s", "competing": "2 bulk" }, "#
        let members = shared + #""uplink": { "rate": "1 Mbit/s", "competing": "2 bulk" }"#
        #expect(try words("bulk", over: members) == [["a long TCP flow"], ["2 long TCP flows"]])
        #expect(try words("none", over: members) == [nil, nil])
        #expect(try words("none") == [nil, nil])
    }

    @Test func namesADirectionWithoutARate() throws {
        #expect(
            try problem("bulk", over: #""downlink": { "delay": "1 ms" }"#)
                == "$: the downlink has no rate that \"bulk\" could share; expected a rate in the profile or by --rate"
        )
        #expect(
            try problem("call 1 kbit/s", over: #""downlink": { "rate": "1 Mbit/s" }"#) == """
                $: the uplink has no rate that "call 1 kbit/s" could share; \
                expected a rate in the profile or by --rate, or "call 1 kbit/s down"
                """
        )
    }

    @Test func sharesARateOfASchedule() throws {
        let step = #""schedule": { "steps": [{ "at": "1 s", "downlink": { "rate": "1 Mbit/s" } }] }"#
        #expect(try words("bulk", over: step) == [["a long TCP flow"], nil])
    }

    @Test func saysWhatMayFollowTheWords() throws {
        let expected = #"; expected "up", "down" or "both" there, and a number in front"#
        #expect(try problem("bulk sideways") == #"$: found "sideways" after "bulk""# + expected)
        #expect(try problem("call 9 kbit/s 2") == #"$: found "2" after "call 9 kbit/s""# + expected)
    }

    @Test(arguments: ["bulk", "blk", "", "bulk sideways", "up", "none+bulk"])
    func refusesOtherWords(text: String) throws {
        #expect(try problem(text)?.hasPrefix("$: found \"") ?? (text == "bulk"))
    }
}
