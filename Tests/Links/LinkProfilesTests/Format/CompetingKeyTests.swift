// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct CompetingKeyTests {
    private static func direction(_ competing: String) -> String {
        "\"downlink\": { \"rate\": \"1 Mbit/s\", \"competing\": \(competing) }"
    }

    private func competing(_ text: String) throws -> [CompetingFlows] {
        let profile = try Profile(members: Self.direction(text))
        #expect(try profile.rereadFromText() == profile)
        return try #require(profile.downlink?.competing)
    }

    private static func flows(
        _ kind: CompetingFlows.Kind,
        _ set: (inout CompetingFlows) -> Void = { _ in }
    ) -> CompetingFlows {
        var flows = CompetingFlows(kind)
        set(&flows)
        return flows
    }

    private static let video = CompetingFlows.Kind.video(BitRate(bitsPerSecond: 8_000_000))
    private static let call = CompetingFlows.Kind.call(BitRate(bitsPerSecond: 100_000))

    @Test func isAnObjectForEachKind() throws {
        #expect(try competing(#"{ "bulk": 2 }"#) == [Self.flows(.bulk) { $0.count = 2 }])
        #expect(try competing(#"{ "video": "8 Mbit/s" }"#) == [Self.flows(Self.video)])
        #expect(try competing(#"{ "call": "100 kbit/s", "count": 3 }"#) == [Self.flows(Self.call) { $0.count = 3 }])
        #expect(try competing(#"{ "web": "0.5 pages a minute" }"#) == [Self.flows(.web(pagesPerMinute: 0.5))])
        #expect(try competing(#"{ "web": "1 page a minute" }"#) == [Self.flows(.web(pagesPerMinute: 1))])
    }

    @Test func hasTimesARoundTripAndACongestionControl() throws {
        let text = #"{ "bulk": 1, "roundTrip": "20 ms", "start": "1 s", "end": "60 min", "congestion": "reno" }"#
        let expected = Self.flows(.bulk) {
            $0.roundTrip = .milliseconds(20)
            $0.start = .seconds(1)
            $0.end = .seconds(3600)
            $0.congestion = .reno
        }
        #expect(try competing(text) == [expected])
    }

    @Test func hasPagesOfASizeAndANumberOfConnections() throws {
        let text = #"{ "web": "6 pages a minute", "page": "40 kB", "connections": 1 }"#
        let expected = Self.flows(.web(pagesPerMinute: 6)) {
            $0.page = ByteCount(bytes: 40_000)
            $0.connections = 1
        }
        #expect(try competing(text) == [expected])
    }

    @Test func isAnArrayForSeveral() throws {
        let text = #"[{ "bulk": 1 }, { "call": "100 kbit/s" }]"#
        #expect(try competing(text) == [Self.flows(.bulk), Self.flows(Self.call)])
    }

    @Test func isWordsAsOnACommandLine() throws {
        let text = #""2 bulk+video 8 Mbit/s + call 100 kbit/s+3 web 1 pages a minute""#
        let expected = [
            Self.flows(.bulk) { $0.count = 2 }, Self.flows(Self.video), Self.flows(Self.call),
            Self.flows(.web(pagesPerMinute: 1)) { $0.count = 3 },
        ]
        #expect(try competing(text) == expected)
    }

    private static let words = #""bulk", "video 8 Mbit/s", "call 100 kbit/s" or "web 3 pages a minute""#
    private static let objects =
        #"{"bulk": 1}, {"video": "8 Mbit/s"}, {"call": "100 kbit/s"} or {"web": "3 pages a minute"}"#

    @Test(arguments: [
        ("{}", "competing: no kind of traffic; expected \(objects)"),
        (#"{ "count": 2 }"#, "competing: no kind of traffic; expected \(objects)"),
        (#"{ "blk": 1 }"#, "competing.blk: unknown key; did you mean \"bulk\"?"),
        (
            #"{ "bulk": 1, "video": "1 Mbit/s" }"#,
            "competing: several kinds of traffic; expected one kind; an array holds several"
        ),
        ("[]", "competing: no competing traffic; expected \(objects)"),
        ("3", "competing: found a number; expected \(objects)"), ("null", "competing: found null; expected \(objects)"),
        (#"{ "bulk": 0 }"#, "competing.bulk: found 0; expected a whole number from 1 to 100"),
        (#"{ "bulk": 1e9 }"#, "competing.bulk: found 1e9; expected a whole number from 1 to 100"),
        (
            #"{ "bulk": 2, "count": 2 }"#,
            "competing.count: bulk has its number already; expected the number in \"bulk\" alone"
        ),
        (
            #"{ "video": "0 Mbit/s" }"#,
            "competing.video: a rate of zero sends nothing; expected a rate such as \"8 Mbit/s\""
        ),
        (
            #"{ "call": "200 Mbit/s" }"#, "competing.call: a call of 200 Mbit/s; expected at most 100 Mbit/s"
        ),
        (#"{ "web": 3 }"#, "competing.web: found 3; expected \"3 pages a minute\", from 0.01 to 1000"),
        (
            #"{ "web": "NaN pages a minute" }"#,
            "competing.web: found \"NaN pages a minute\"; expected \"3 pages a minute\", from 0.01 to 1000"
        ),
        (
            #"{ "call": "100 kbit/s", "roundTrip": "1 ms" }"#,
            "competing.roundTrip: a call does not react to the link; expected roundTrip for TCP: bulk, video or web"
        ),
        (#"{ "bulk": 1, "roundTrip": "0 ms" }"#, "competing.roundTrip: a round trip of zero; expected a time such as"),
        (
            #"{ "bulk": 1, "start": "5 s", "end": "4 s" }"#,
            "competing.end: the traffic ends at 4 s, not after its start"
        ),
        (#"{ "bulk": 1, "congestion": "bbr" }"#, "competing.congestion: found \"bbr\"; expected one of cubic, reno"),
        (#"{ "bulk": 1, "page": "40 kB" }"#, "competing.page: bulk has no pages; expected page beside \"web\""),
        (
            #"{ "video": "1 Mbit/s", "connections": 2 }"#,
            "competing.connections: video has no pages; expected connections beside \"web\""
        ),
        (
            #"{ "web": "1 page a minute", "page": "0 kB" }"#,
            "competing.page: found \"0 kB\"; expected from 1 byte to 1 GB"
        ),
        (
            #"{ "web": "1 page a minute", "page": "2 GB" }"#,
            "competing.page: found \"2 GB\"; expected from 1 byte to 1 GB"
        ),
        (
            #"{ "web": "1 page a minute", "page": 40 }"#,
            "competing.page: 40 has no unit; expected a number of bytes with its unit, such as \"10 kB\""
        ),
        (
            #"{ "web": "1 page a minute", "connections": 0 }"#,
            "competing.connections: found 0; expected a whole number from 1 to 100"
        ),
        (#""blk""#, "competing: found \"blk\"; expected \(words); did you mean \"bulk\"?"),
        (#""video""#, "competing: found \"video\"; expected \(words)"),
        (#""video fast""#, "competing: \"fast\" does not start with a number"),
        (#""bulk 2""#, "competing: found \"bulk 2\"; expected \(words)"),
        (#""101 bulk""#, "competing: found 101; expected a whole number from 1 to 100"),
        (#""bulk+""#, "competing: found \"\"; expected \(words)"),
    ])
    func refusesWhatIsNoTraffic(competing: String, issue: String) {
        let issues = Profile.issues(members: Self.direction(competing))
        #expect(issues.count == 1)
        #expect(issues.first?.hasPrefix("$.downlink.\(issue)") == true, "\(issues)")
    }

    @Test func isLimited() {
        let words = "\"\(Array(repeating: "bulk", count: 33).joined(separator: "+"))\""
        let objects = "[\(Array(repeating: "{ \"bulk\": 1 }", count: 33).joined(separator: ", "))]"
        for competing in [words, objects] {
            #expect(
                Profile.issues(members: Self.direction(competing))
                    == ["$.downlink.competing: 33 competing traffic; expected at most 32"]
            )
        }
    }

    @Test func needsARate() {
        #expect(
            Profile.issues(members: #""downlink": { "competing": "bulk" }"#)
                == ["$.downlink.competing: competing traffic without a rate takes nothing; expected \"rate\" beside it"]
        )
        let step = #""schedule": { "steps": [{ "at": "1 s", "downlink": { "rate": "1 bit/s" } }] }"#
        #expect(Profile.issues(members: #""downlink": { "competing": "bulk" }, "# + step).isEmpty)
    }

    @Test func isTheProfilesAndNoSteps() {
        let step = #""schedule": { "steps": [{ "at": "1 s", "downlink": { "competing": "bulk" } }] }"#
        let expected = """
            $.schedule.steps[0].downlink.competing: a step cannot change competing traffic; \
            expected "start" and "end" of the competing traffic in the profile
            """
        #expect(Profile.issues(members: #""downlink": { "rate": "1 bit/s" }, "# + step) == [expected])
    }

    @Test func isNoFigureOfQueries() {
        #expect(
            Profile.issues(members: #""dns": { "delay": "1 ms", "competing": "bulk" }"#)
                == ["$.dns.competing: unknown key; expected one of delay"]
        )
    }

    @Test func hasWordsForPeople() throws {
        let text = #"""
            [{ "bulk": 2, "start": "5 s", "end": "9 s" }, { "video": "8 Mbit/s" },
            { "web": "1 page a minute", "count": 2, "page": "40 kB", "connections": 1 }]
            """#
        let words = [
            "2 long TCP flows from 5 s until 9 s", "a film of 8 Mbit/s",
            "2 readers of 1 page a minute of 40 kB on 1 connection",
        ]
        #expect(try competing(text).map(\.words) == words)
        let shared = try Profile(members: Self.direction(text)).downlink?.words.last
        #expect(shared == "shared with \(words[0]), \(words[1]) and \(words[2])")
        let profile = try Profile(members: Self.direction(#""bulk""#))
        #expect(profile.downlink?.words == ["1 Mbit/s", "shared with a long TCP flow"])
        #expect(ProfileFigures(profile).others == ["shared"])
    }
}
