// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileFormats
import Testing

/// Texts that describe no link, several, or one that is off: none is taken for a link that it does not describe.
@Suite struct OtherToolsLinkTests {
    private static let proxy = #""name": "db", "listen": "0.0.0.0:5433", "upstream": "db:5432""#
    private static let toxic =
        #"{"type": "latency", "stream": "downstream", "toxicity": 1, "attributes": {"latency": 1000}}"#

    @Test(arguments: [
        "[{\(proxy), \"enabled\": true}]", "{\(proxy), \"enabled\": true}",
        "{\"db\": {\(proxy), \"enabled\": true, \"toxics\": []}}",
        "[{\(proxy), \"enabled\": false, \"toxics\": []}]",
    ])
    func aProxyWithoutToxicsIsNoLink(text: String) {
        #expect(ImportedProfile.failure(text)?.description.contains("no toxics") == true)
    }

    @Test(arguments: [
        "[{\(proxy), \"enabled\": false, \"toxics\": [\(toxic)]}]",
        "{\(proxy), \"enabled\": false, \"toxics\": [\(toxic)]}",
        "{\"db\": {\(proxy), \"enabled\": false, \"toxics\": [\(toxic)]}, \"web\": {\"toxics\": []}}",
    ])
    func aProxyThatIsOffHasANote(text: String) throws {
        let imported = try ImportedProfile.read(text)
        #expect(imported.format == .toxiproxy && imported.profile.downlink?.delay == .seconds(1))
        #expect(imported.remarks.contains { $0.contains("enabled is false") }, "\(imported.remarks)")
        let enabled = try ImportedProfile.read(text.replacing("\"enabled\": false", with: "\"enabled\": true"))
        #expect(!enabled.remarks.contains { $0.contains("enabled") })
    }

    private static func rule(_ pattern: String, _ latency: Int = 150, offline: Bool = false) -> String {
        """
        {"urlPattern": "\(pattern)", "latency": \(latency), "downloadThroughput": 200000, "uploadThroughput": 96000, \
        "connectionType": "cellular3g", "packetLoss": 2, "packetQueueLength": 10, "packetReordering": false, "offline": \(offline)}
        """
    }

    @Test(arguments: [
        "{\"matchedNetworkConditions\": [\(rule(""))], \"offline\": false}",
        "{\"method\": \"Network.emulateNetworkConditionsByRule\", \"params\": {\"matchedNetworkConditions\": [\(rule(""))]}}",
        "{\"matchedNetworkConditions\": [\(rule("https://a.test/*"))]}",
    ])
    func chromesConditionsByRuleAreRead(text: String) throws {
        let imported = try ImportedProfile.read(text)
        #expect(imported.format == .devtools && imported.profile.downlink?.delay == .milliseconds(75))
        #expect(imported.profile.downlink?.rate == BitRate(bitsPerSecond: 1_600_000))
        #expect(imported.profile.uplink?.rate == BitRate(bitsPerSecond: 768_000))
        #expect(imported.profile.uplink?.loss == .random(Probability(fraction: 0.02)))
        #expect(imported.remarks.contains { $0.contains("urlPattern is left out") } == text.contains("a.test"))
    }

    @Test func severalOfThemAreAChoice() throws {
        let text = "{\"matchedNetworkConditions\": [\(Self.rule("https://a.test/*", 20)), \(Self.rule("", 400))]}"
        #expect(ImportedProfile.failure(text) == .several(["https://a.test/*", "all addresses"]))
        let chosen = try ImportedProfile.read(text, name: "all addresses").profile
        #expect(chosen.downlink?.delay == .milliseconds(200))
        #expect(try ImportedProfile.read(text, name: "https://a.test/*").profile.uplink?.delay == .milliseconds(10))
    }

    @Test(arguments: [
        "{\"offline\": true, \"matchedNetworkConditions\": [\(rule(""))]}",
        "{\"params\": {\"offline\": true, \"matchedNetworkConditions\": [\(rule(""))]}}",
        "{\"matchedNetworkConditions\": [\(rule("", offline: true))]}",
    ])
    func offlineLosesEverything(text: String) throws {
        #expect(try ImportedProfile.read(text).profile.downlink?.loss == .random(.one))
    }

    private static let prio = "qdisc prio 1: dev eth0 root refcnt 9 bands 10 priomap 1 2 2\n"

    /// Different classes carry different traffic.
    @Test(arguments: [
        (
            prio + "qdisc netem 10: dev eth0 parent 1:1 limit 1000 delay 100ms\n"
                + "qdisc tbf 20: dev eth0 parent 1:2 rate 1024Kbit burst 1599b lat 10.9ms\n", ["eth0 1:1", "eth0 1:2"]
        ),
        (
            "qdisc htb 1: root refcnt 2 r2q 10\nqdisc netem 10: parent 1:10 delay 5ms\nqdisc netem 20: parent 1:20 delay 9ms\n",
            ["1:10", "1:20"]
        ),
        (
            #"[{"kind": "netem", "handle": "10:", "parent": "1:1", "dev": "eth0", "options": {"delay": {"delay": 0.1}}},"#
                + #"{"kind": "netem", "handle": "20:", "parent": "1:2", "dev": "eth0", "options": {"delay": {"delay": 0.2}}}]"#,
            ["eth0 1:1", "eth0 1:2"]
        ),
        (
            "qdisc mq 0: dev eth0 root\nqdisc netem 8001: dev eth0 parent :1 delay 5ms\nqdisc netem 8002: dev eth0 parent :2 delay 5ms\n",
            ["eth0 :1", "eth0 :2"]
        ),
        // The netem above both is part of either.
        (
            "qdisc netem 1: root delay 5ms\nqdisc prio 2: parent 1:1 bands 3\nqdisc tbf 3: parent 2:1 rate 1Mbit burst 4Kb lat 9ms\n"
                + "qdisc tbf 4: parent 2:2 rate 2Mbit burst 4Kb lat 9ms\n", ["2:1", "2:2"]
        ),
    ])
    func classesSideBySideAreDifferentLinks(text: String, names: [String]) throws {
        #expect(ImportedProfile.failure(text) == .several(names))
        for name in names { #expect(try ImportedProfile.read(text, name: name).profile.uplink != nil) }
    }

    @Test(arguments: [
        "qdisc tbf 1: root refcnt 2 rate 10Mbit burst 4Kb lat 400ms\nqdisc netem 10: parent 1:1 limit 1000 delay 50ms\n",
        "qdisc netem 1: root refcnt 2 limit 1000 delay 50ms\nqdisc tbf 10: parent 1:1 rate 10Mbit burst 4Kb lat 400ms\n",
        prio
            + "qdisc tbf 10: dev eth0 parent 1:1 rate 10Mbit burst 4Kb lat 400ms\nqdisc netem 20: dev eth0 parent 10:1 delay 50ms\n",
    ])
    func aChainIsOneLink(text: String) throws {
        let uplink = try ImportedProfile.read(text).profile.uplink
        #expect(uplink?.delay == .milliseconds(50) && uplink?.rate == BitRate(bitsPerSecond: 10_000_000))
    }
}
