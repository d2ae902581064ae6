// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Testing

@testable import linkcond

/// The text that `status` prints for a decoded report.
@Suite struct StatusTextTests {
    private static func report(_ json: String) throws -> StatusReport {
        try #require(StatusReport(json: JSON(utf8: json.utf8)))
    }

    private static func lines(_ json: String) throws -> [String] {
        try report(json).lines().map(\.text)
    }

    @Test(arguments: [
        (
            #"{ "profile": "Slow Net", "uplink": "lc-gateway", "pid": 4711 }"#,
            "sandbox: Slow Net (uplink through lc-gateway, supervisor process 4711)"
        ),
        (#"{ "profile": "Slow Net", "pid": 7 }"#, "sandbox: Slow Net (offline, supervisor process 7)"),
        (
            #"{ "uplink": "lc-gateway", "pid": 7 }"#,
            "sandbox: no conditions (uplink through lc-gateway, supervisor process 7)"
        ),
        (#"{ "pid": 7 }"#, "sandbox: no conditions (offline, supervisor process 7)"),
    ])
    func beginsWithTheSandbox(sandbox: String, line: String) throws {
        let json = #"{ "sandbox": \#(sandbox), "devices": [] }"#
        #expect(try Self.lines(json) == [line])
        #expect(try Self.report(json).note() == nil)
    }

    @Test func saysHowLongPacketsWaitBehindOthers() throws {
        let lines = try Self.lines(
            """
            { "devices": [{ "interface": "eth0", "index": 2, "rules": [
              { "rule": 1, "profile": "Busy", "traffic": "port 443", "engine": "userspace", "uid": 1000, "lanes": [
                { "lane": "uplink", "device": "lcu2r1u", "conditions": { "rate": "2 Mbit/s", "queue": "fq_codel",
                  "competing": { "bulk": 1 } }, "matchedPackets": 8, "sentPackets": 8, "sentBytes": 800,
                  "droppedPackets": 0, "heldPackets": 0, "percentBehindOthers": 62 }] }] }] }
            """
        )
        let words = "2 Mbit/s, fq_codel queue, shared with a long TCP flow, waited behind others: 62 % of the delay"
        #expect(lines.contains { $0.contains(words) }, "\(lines)")
    }

    @Test func printsATableOfEachRule() throws {
        let lines = try Self.lines(
            """
            { "sandbox": { "pid": 7 }, "devices": [{ "interface": "eth0", "index": 2, "rules": [
              { "rule": 1, "profile": "Slow Net", "traffic": "port 443", "engine": "netem", "uid": 1000, "lanes": [
                { "lane": "uplink", "device": "lc2r1u", "conditions": { "delay": "100 ms" }, "limitPackets": 17,
                  "matchedPackets": 8, "sentPackets": 6, "sentBytes": 600, "droppedPackets": 1, "heldPackets": 1,
                  "heldBytes": 98 },
                { "lane": "downlink", "device": "lc2r1d", "matchedPackets": 0 }],
                "askedBefore": ["flower filter", "1 tcx program"] }] }] }
            """
        )
        #expect(lines.count == 6)
        #expect(lines[1].hasPrefix("eth0: Slow Net (rule 1, traffic on port 443, netem, since "))
        #expect(lines[1].hasSuffix(", by uid 1000)"))
        #expect(
            lines[2...] == [
                "  LANE      CONDITIONS                      MATCHED  SENT  DROPPED  HELD",
                "  uplink    100 ms delay, limit 17 packets  8        6     1        1",
                "  downlink  not what linkcond made          0        -     -        -",
                "  filters ahead of it, which may pass or drop packets: flower filter, 1 tcx program",
            ]
        )
    }

    @Test func notesAllLeftovers() throws {
        let report = try Self.report(
            """
            { "devices": [
                { "interface": "eth0", "index": 2, "rules": [], "leftovers": ["lc2r1u"], "danglingFilters": [50010] },
                { "interface": "eth1", "index": 3, "rules": [], "leftovers": ["lc3r1u"] }],
              "leftovers": ["lc9r1d"] }
            """
        )
        #expect(report.lines().isEmpty)
        #expect(
            report.note() == """
                left by an interrupted command: lc2r1u, lc3r1u, lc9r1d, \
                filter 50010 on eth0, which drops packets
                try: linkcond reset
                """
        )
        #expect(try Self.report(#"{ "devices": [] }"#).note() == "nothing is conditioned")
    }
}
