// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

/// Encoding and decoding of reports.
@Suite struct StatusReportTests {
    /// What is read from the JSON of `report` as text.
    private static func readBack(_ report: StatusReport) throws -> StatusReport? {
        let line = try StatusReport(json: JSON(utf8: report.json.line.utf8))
        #expect(try StatusReport(json: JSON(utf8: report.json.text.utf8)) == line)
        // Texts that compare as equal may still differ in their bytes.
        #expect(line?.json.text.utf8.elementsEqual(report.json.text.utf8) == true)
        return line
    }

    @Test func namesEverythingInOrder() {
        let expected = """
            {"sandbox": {"profile": "Slow Net", "uplink": "lc-gateway", "pid": 4711},
            "devices": [{"interface": "eth0", "index": 2,
            "rules": [{"rule": 1, "profile": "Slow Net", "traffic": "to 10.0.0.0/8 exclude port 22", "facing": "peer",
            "engine": "netem", "since": 1795938273, "uid": 1000, "pid": 4711,
            "ending": {"guardian": 4712, "until": 1795939000, "confirmBy": 1795938300},
            "lanes": [{"lane": "uplink", "device": "lc2r1u",
            "conditions": {"rate": "32 kbit/s", "delay": "100 ms",
            "jitter": {"amount": "20 ms", "distribution": "normal", "ordered": false},
            "loss": {"gilbertElliott": {"p": "1 %", "r": "30 %", "lossInBad": "100 %", "lossInGood": "0 %"}},
            "duplicate": "1 %", "corrupt": "2 %", "reorder": {"probability": "3 %", "gap": 5}, "queue": "300 ms",
            "overhead": {"packet": 10, "cell": 48, "cellOverhead": 5}, "ecn": true},
            "limitPackets": 17, "matchedPackets": 10, "sentPackets": 7, "sentBytes": 700, "droppedPackets": 2,
            "heldPackets": 1, "heldBytes": 98}],
            "missing": ["dns", "downlink"], "askedBefore": ["flower filter with pref 1 on egress"]}],
            "leftovers": ["lc2r3d"], "danglingFilters": [50010, 50012]}],
            "leftovers": ["lc9r1u"],
            "suspended": [{"interface": "eth1", "profile": "LTE", "traffic": "port 53"}]}
            """
        let line = StatusReport.full.json.line.replacing("{ ", with: "{").replacing(" }", with: "}")
        #expect(line == expected.replacing("\n", with: " "))
    }

    @Test func leavesOutWhatIsAbsent() {
        #expect(StatusReport.made().json.line == #"{ "devices": [] }"#)
        let offline = StatusReport.made(sandbox: .init(profile: nil, uplink: nil, processID: 9), [.made("eth0")])
        #expect(
            offline.json.line
                == #"{ "sandbox": { "pid": 9 }, "devices": [{ "interface": "eth0", "index": 2, "rules": [] }] }"#
        )
    }

    @Test(
        arguments: [
            .full, .made(), .made([.made("eth0"), .made("lo")]), .made(leftovers: ["lc9r1u", "lc9r1d"]),
            .made([.made("eth0", [.made([])])]), .made([.made("eth0", [.made([.bare]), .made([.bare, .bare])])]),
            .made(sandbox: .init(profile: nil, uplink: nil, processID: .max)),
            .made(sandbox: .init(profile: "", uplink: "", processID: 1)),
        ] as [StatusReport]
    )
    func readsWhatItWrites(report: StatusReport) throws {
        #expect(try Self.readBack(report) == report)
    }

    @Test(arguments: [
        "", " ", "\"", "\\", "\\u0041", "}],[{\"", "null", "Große Störung 🛰", "数据", "e\u{301}", "\u{301}", "\u{FEFF}",
        "\u{1B}[31m\u{7F}\u{9B}", "two\nlines\r\n\u{2028}", "\u{202E}reversed", "\u{FFFD}\u{10FFFF}",
    ])
    func carriesAnyName(name: String) throws {
        var report = StatusReport.full
        report.sandbox = .init(profile: name, uplink: name, processID: 1)
        report.leftovers = [name, name]
        report.devices[0].interface = name
        report.devices[0].leftovers = [name]
        report.devices[0].rules[0].profile = name
        report.devices[0].rules[0].engine = name
        report.devices[0].rules[0].askedBefore = [name]
        report.devices[0].rules[0].lanes[0].device = name
        #expect(try Self.readBack(report) == report)
    }

    @Test func carriesTheLargestNumbers() throws {
        var lane = StatusReport.LaneStatus.bare
        lane.limitPackets = .max
        lane.matchedPackets = .max
        let maximum = UInt64.max
        lane.counters = StatusReport.Counters(
            sentPackets: maximum,
            sentBytes: maximum - 1,
            droppedPackets: maximum - 2,
            heldPackets: maximum - 3,
            heldBytes: maximum - 4
        )
        var rule = StatusReport.Rule.made([lane])
        rule.number = .max
        rule.since = Int.min
        rule.userID = UInt32.max
        rule.processID = Int32.min
        var device = StatusReport.Device.made("eth0", [rule])
        device.index = .max
        device.danglingFilters = [0, .max]
        let report = StatusReport.made([device])
        #expect(try Self.readBack(report) == report)
    }
}
