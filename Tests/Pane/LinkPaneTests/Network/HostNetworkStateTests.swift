// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Testing

@testable import LinkPane

@Suite struct HostNetworkStateTests {
    private static let report = """
        { "devices": [{ "interface": "eth0", "index": 2, "leftovers": ["lc2r9u"], "danglingFilters": [50001], "rules": [
          { "rule": 1, "profile": "Slow Net", "traffic": "port 443", "engine": "userspace", "failsOpen": true,
            "since": 1764450000, "uid": 0, "pid": 1, "ending": { "guardian": 4711, "until": 1764450600 },
            "overlaps": [2], "missing": ["dns"], "askedBefore": ["flower filter"],
            "faults": [{ "fault": "lose the first packet", "packets": 3 }],
            "lanes": [{ "lane": "uplink", "device": "lc2r1u", "conditions": { "delay": "100 ms" }, "matchedPackets": 8 },
                      { "lane": "downlink", "device": "lc2r1d", "matchedPackets": 2 }] },
          { "rule": 2, "profile": "<b>Mine", "traffic": "everything", "engine": "netem", "overlaps": [1], "lanes": [] }]
        }], "leftovers": ["lcu"], "suspended": [{ "interface": "eth1", "profile": "LTE", "traffic": "everything" }] }
        """

    private static func state() throws -> HostNetworkState {
        var state = HostNetworkState()
        state.report = try #require(StatusReport(json: JSON(utf8: report.utf8)))
        state.interfaces = [.init(name: "eth0", addresses: ["192.0.2.1/24"], carriesLogin: true)]
        state.origins[RuleKey(interface: "eth0", number: 1)] = .init(words: "root", hasLostGuardian: true)
        state.knownProfiles = ["Slow Net"]
        return state
    }

    private static func live(_ state: HostNetworkState, lanes: (RuleKey) -> String? = { _ in nil }) throws -> JSON {
        try JSON(utf8: state.pieces.text(lanes: lanes).utf8)
    }

    @Test func namesARuleWithItsEndAndItsOrigin() throws {
        let rule = try #require(try Self.live(Self.state())["rules"]?.elements.first)
        let expected: [(String, String)] = [
            ("id", #""eth0#1""#), ("interface", #""eth0""#), ("rule", "1"), ("profile", #""Slow Net""#),
            ("profileKnown", "true"), ("traffic", #""port 443""#), ("everything", "false"),
            ("engine", #""userspace""#), ("since", "1764450000"), ("until", "1764450600"), ("by", #""root""#),
            ("packets", "10"), ("faults", #"[{ "fault": "lose the first packet", "packets": 3 }]"#),
        ]
        for (name, text) in expected { #expect(rule[name]?.line == text, "\(name)") }
        #expect(rule["confirmBy"] == nil)
        #expect(rule["endsWith"] == nil)
    }

    @Test func warnsInTheWordsOfStatus() throws {
        let rules = try #require(try Self.live(Self.state())["rules"]?.elements)
        let warnings = rules.map { rule in rule["warnings"].flatMap { [String](json: $0) } ?? [] }
        #expect(
            warnings.first == [
                #"another program removed the dns; "linkcond reset -i eth0" removes the rest"#,
                "filters ahead of it, which may pass or drop packets: flower filter",
                "the process that ends it is gone: only Reset, or the next linkcond command after that time, does",
                "overlaps rule 2: packets of both are this rule's",
            ]
        )
        #expect(warnings.last == ["overlaps rule 1: packets of both are not this rule's"])
    }

    @Test func hasAskedFiguresWithoutMeasuredOnes() throws {
        let lanes = try #require(try Self.live(Self.state())["rules"]?.elements.first?["lanes"]?.elements)
        #expect(
            lanes.map(\.line) == [
                #"{ "lane": "uplink", "device": "lc2r1u", "asked": { "words": ["100 ms delay"] } }"#,
                #"{ "lane": "downlink", "device": "lc2r1d", "asked": { "words": [] } }"#,
            ]
        )
    }

    @Test func takesTheLanesOfTheRuleThatTheyAreMeasuredFor() throws {
        let live = try Self.live(Self.state()) { key in key.number == 2 ? #"[{ "lane": "downlink" }]"# : nil }
        let rules = try #require(live["rules"]?.elements)
        #expect(rules[0]["lanes"]?.elements.count == 2)
        #expect(rules[1]["lanes"]?.line == #"[{ "lane": "downlink" }]"#)
        #expect(rules[1]["profile"]?.line == #""<b>Mine""#)
        #expect(rules[1]["profileKnown"]?.line == "false")
    }

    @Test func namesInterfacesSuspendedRulesAndLeftovers() throws {
        let live = try Self.live(Self.state())
        #expect(
            live["interfaces"]?.line == #"[{ "name": "eth0", "up": true, "addresses": ["192.0.2.1/24"], "#
                + #""loopback": false, "login": true }]"#
        )
        #expect(
            live["suspended"]?.line == #"[{ "interface": "eth1", "profile": "LTE", "traffic": "everything" }]"#
        )
        #expect(
            live["leftovers"]?.line
                == #"["lc2r9u", "lcu", "filter 50001 on eth0, which drops packets"]"#
        )
        #expect(live["problem"] == nil)
    }

    @Test func saysThatUnreadableRulesAreUnknown() throws {
        var state = HostNetworkState()
        state.problem = .init(message: "cannot list the interfaces", kind: "refused", remedy: "again")
        #expect(
            try Self.live(state)["problem"]?.line == #"{ "error": "cannot list the interfaces", "kind": "refused", "#
                + #""try": "again", "rulesUnknown": true }"#
        )
        state.problem?.hasRules = true
        #expect(try Self.live(state)["problem"]?["rulesUnknown"] == nil)
        #expect(try Self.live(state)["rules"]?.elements.isEmpty == true)
    }

    @Test func namesAccounts() {
        let users = UserNames(Array("root:x:0:0::/root:/bin/sh\nbroken\nann:x:1000:1::/:\nother:x:1000:1::/:\n".utf8))
        #expect(users.name(of: 0) == "root")
        #expect(users.name(of: 1000) == "ann")
        #expect(users.name(of: 7) == "uid 7")
    }
}

extension JSON {
    fileprivate var elements: [JSON] {
        if case .array(let elements) = value { elements } else { [] }
    }
}
