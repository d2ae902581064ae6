// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import Testing

@testable import LinkProfiles

@Suite struct FaultTests {
    private func issues(_ faults: String) -> [String] { Profile.issues(members: "\"faults\": \(faults)") }

    @Test func readsWhatIsMatchedAndWhatHappens() throws {
        let profile = try Profile(
            members: #"""
                "faults": [
                    { "match": { "to": ["10.0.0.0/8", "api.test"], "port": 443, "protocol": "tcp", "after": "20 kB",
                      "connection": "first 2", "lane": "downlink", "probability": "5 %" }, "do": "reset" },
                    { "match": { "dns": "*.Test", "type": "AAAA" }, "do": { "answer": { "after": "6 s" } } }
                ]
                """#
        )
        let first = try #require(profile.faults.first)
        #expect(first.match.ends.remotes.map(\.text) == ["10.0.0.0/8", "api.test"])
        #expect(first.match.ends.ports == [443] && first.match.ends.protocols == [.tcp])
        #expect(first.match.after == .bytes(ByteCount(bytes: 20_000)) && first.match.connection == .first(2))
        #expect(first.match.direction == .downlink && first.match.probability == Probability(fraction: 0.05))
        #expect(first.action == .reset)
        #expect(profile.faults[1].match.name?.text == "*.test" && profile.faults[1].match.recordType == .aaaa)
        #expect(profile.faults[1].action == .hold(.seconds(6)))
        #expect(try profile.rereadFromText() == profile)
    }

    @Test func readsHowLongAConnectionIsIdle() throws {
        let profile = try Profile(
            members: #""faults": [{ "match": { "port": 443, "after": { "idle": "5 s" } }, "do": "reset" }]"#
        )
        let fault = try #require(profile.faults.first)
        #expect(fault.match.after == .idle(.seconds(5)) && fault.endsIdleConnections && !fault.endsOpenConnections)
        #expect(fault.words == "reset: port 443, idle for 5 s")
        #expect(try profile.rereadFromText() == profile)
    }

    @Test(arguments: [
        (#"{ "after": { "idle": "0 s" } }"#, "more than 0 s"), (#"{ "after": { "idel": "5 s" } }"#, "idle"),
        (#"{ "after": { "idle": "5 s" }, "larger": "1 kB" }"#, "without waiting for a packet"),
        (#"{ "after": { "idle": "5 s" }, "lane": "uplink" }"#, "without waiting for a packet"),
        (#"{ "after": { "idle": "5 s" }, "packet": "nth 2" }"#, "without waiting for a packet"),
        (#"{ "after": { "idle": "5 s" }, "protocol": "udp" }"#, "tcp"),
    ])
    func refusesAnIdleTimeThatCannotBe(match: String, reason: String) {
        let found = issues("[{ \"match\": \(match), \"do\": \"close\" }]")
        #expect(found.count == 1 && found.first?.contains(reason) == true, "\(found)")
    }

    @Test func anyFaultNeedsBothLanes() throws {
        let profile = try Profile(members: #""faults": [{ "match": {}, "do": "lose" }]"#)
        #expect(profile.lanes.map(\.lane) == [.uplink, .downlink])
    }

    @Test func reportsAllMistakesOfAllFaults() {
        let found = issues(
            #"[{ "match": { "port": 0 }, "do": "looose" }, { "match": { "version": 7 }, "do": "lose" }]"#
        )
        #expect(found.count == 3)
    }

    @Test(arguments: [
        // What counts packets, or chance, leaves some for the next.
        #"[{ "match": { "packet": "nth 1" }, "do": "lose" }, { "match": { "packet": "nth 1" }, "do": "lose" }]"#,
        #"[{ "match": { "probability": "5 %" }, "do": "lose" }, { "match": { "probability": "5 %" }, "do": "reset" }]"#,
        // The first is narrower in one way.
        #"[{ "match": { "port": 443 }, "do": "lose" }, { "match": { "protocol": "tcp" }, "do": "reset" }]"#,
        #"[{ "match": { "exclude": { "port": 53 } }, "do": "lose" }, { "match": { "port": 53 }, "do": "reset" }]"#,
        #"[{ "match": {}, "do": { "answer": "empty" } }, { "match": { "port": 53 }, "do": "lose" }]"#,
        #"[{ "match": {}, "do": "reset" }, { "match": {}, "do": "lose" }]"#,
        #"[{ "match": {}, "do": { "refuse": "port" } }, { "match": { "port": 80 }, "do": "lose" }]"#,
    ])
    func letsAFaultFollowOneThatLeavesItPackets(faults: String) {
        #expect(issues(faults).isEmpty)
    }

    /// Each key of a match leaves packets to a fault of all of them. A key that is added needs an example here.
    @Test func letsAFaultFollowOneThatAnyKeyNarrows() {
        let examples = [
            "to": #""192.0.2.1""#, "port": "443", "protocol": #""tcp""#, "exclude": #"{ "port": 53 }"#, "version": "6",
            "packet": #""syn""#, "connection": #""first 2""#, "after": #""1 s""#, "dns": #""a.test""#,
            "type": #""AAAA""#, "larger": #""1400 bytes""#, "probability": #""5 %""#, "lane": #""uplink""#,
        ]
        #expect(Set(examples.keys) == Set(NodeReader.matchKeys))
        for (key, value) in examples {
            let narrow = "{ \"match\": { \"\(key)\": \(value) }, \"do\": \"lose\" }"
            #expect(issues("[\(narrow), { \"match\": {}, \"do\": { \"refuse\": \"port\" } }]").isEmpty, "\(key)")
        }
    }

    @Test(arguments: [
        #"[{ "match": {}, "do": "lose" }, { "match": { "port": 80 }, "do": "reset" }]"#,
        #"[{ "match": { "port": [80, 443] }, "do": "lose" }, { "match": { "port": 443, "after": "1 s" }, "do": "lose" }]"#,
        #"[{ "match": { "protocol": ["tcp", "udp"] }, "do": "lose" }, { "match": {}, "do": "stall" }]"#,
        #"[{ "match": { "dns": "a.test" }, "do": "lose" }, { "match": { "dns": "a.test" }, "do": { "answer": "empty" } }]"#,
    ])
    func refusesAFaultThatGetsNoPacket(faults: String) {
        let found = issues(faults)
        #expect(found.count == 1 && found.first?.contains("fault 1 comes first") == true, "\(found)")
    }

    @Test func namesThemselves() throws {
        for effect in FaultMark.Effect.allCases {
            let mark = FaultMark(12, effect)
            #expect(FaultMark(name: mark.name) == mark && FaultMark(name: mark.word) == mark)
            #expect(!mark.word.contains(" "))
        }
        #expect(FaultMark(2, .reset).name == "fault 2: reset")
        for text in ["fault 0: reset", "fault 2", "fault 2: break", "fault 300: reset", "", "randomLoss"] {
            #expect(FaultMark(name: text) == nil)
        }
    }

    @Test func patternsStandForNamesInAnyCase() throws {
        let pattern = try #require(NamePattern("*.Example.test."))
        #expect(pattern.matches("a.EXAMPLE.test") && pattern.matches("a.b.example.test"))
        #expect(
            !pattern.matches("example.test") && !pattern.matches(".example.test") && !pattern.matches("xexample.test")
        )
        #expect(NamePattern("a b") == nil && NamePattern("*") != nil && NamePattern("a.*.b") == nil)
    }
}
