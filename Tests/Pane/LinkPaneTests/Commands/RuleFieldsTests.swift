// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import SandboxClient
import Testing

@testable import LinkPane

@Suite struct RuleFieldsTests {
    private static func fields(_ json: String) throws -> RuleFields { try RuleFields(JSON(utf8: json.utf8)) }

    @Test func makesTheWordsOfApply() throws {
        let fields = try Self.fields(
            """
            { "interface": "eth0", "profile": "Slow Net", "downlink": "rate=1 Mbit/s", "to": ["10.0.0.0/8", "a.test"],
              "port": [443, "80"], "protocol": "tcp", "exclude": ["port 22"], "for": "10m", "confirm": "30s",
              "keepSSH": true, "engine": "userspace", "uplink": null }
            """
        )
        #expect(
            fields.arguments == [
                "apply", "Slow Net", "-i", "eth0", "--downlink", "rate=1 Mbit/s", "--to", "10.0.0.0/8", "--to",
                "a.test",
                "--port", "443", "--port", "80", "--protocol", "tcp", "--exclude", "port 22", "--for", "10m",
                "--confirm", "30s", "--keep-ssh", "--engine", "userspace",
            ]
        )
    }

    @Test func makesTheWordsOfSwitchWithoutTraffic() throws {
        let fields = try Self.fields(#"{ "interface": "eth0", "profile": "LTE", "to": "10.0.0.1" }"#)
        #expect(fields.switchArguments(rule: "3") == ["switch", "LTE", "-i", "eth0", "--rule", "3"])
    }

    @Test func noValueBecomesAnOption() throws {
        let fields = try Self.fields(
            #"{ "interface": "--help", "profile": "--all", "to": ["-i"], "for": "-5", "port": "", "container": "-x" }"#
        )
        #expect(
            fields.arguments == [
                "apply", "--interface=--help", "--container=-x", "--to=-i", "--port", "", "--for=-5", "--", "--all",
            ]
        )
    }

    @Test(arguments: [
        (#"{ "interfaces": "eth0" }"#, "interfaces"),
        (#"{ "to": { "host": "a.test" } }"#, "to"),
        (#"{ "to": [["a.test"]] }"#, "to"),
        (#"{ "profile": true }"#, "profile"),
        (#"{ "dryRun": "yes" }"#, "dryRun"),
        (#"{ "profile": "3G\u0000" }"#, "profile"),
    ])
    func refusesWhatIsNoField(body: String, field: String) throws {
        let answer = #expect(throws: ControlAPI.Answer.self) { try Self.fields(body) }
        #expect(answer?.status == 400)
        #expect(answer?.body?["field"].flatMap { String(json: $0) } == field)
        #expect(answer?.body?["kind"].flatMap { String(json: $0) } == "badRequest")
    }

    @Test func refusesABodyThatIsNoObject() throws {
        #expect(throws: ControlAPI.Answer.self) { try Self.fields("[1]") }
    }

    @Test(arguments: [
        (#"{ "interface": "lo" }"#, ["port 8080"]),
        (#"{ "interface": "lo", "port": "8080" }"#, ["port 8080"]),
        (#"{ "interface": "lo", "exclude": "port 8080" }"#, ["port 8080"]),
        (#"{ "interface": "lo", "port": "443" }"#, []),
        (#"{ "interface": "lo", "protocol": "udp" }"#, []),
        (#"{ "interface": "eth0" }"#, []),
        (#"{ "interface": "lo", "container": "web" }"#, []),
    ])
    func leavesThePageOutOfConditionsOfLoopback(body: String, exclusions: [String]) throws {
        var fields = try Self.fields(body)
        fields.excludePage(at: 8080)
        #expect(fields.exclude == exclusions)
    }

    @Test(arguments: [
        (#"{ "interface": "eth0" }"#, ["no time limit and no target: all traffic of eth0 until Reset"]),
        (
            #"{ "interface": "eth0", "exclude": "port 22" }"#,
            ["no time limit and no target: all traffic of eth0 until Reset"]
        ),
        (
            #"{ "interface": "eth0", "container": "web" }"#,
            ["no time limit and no target: all traffic of eth0 of container web until Reset"]
        ),
        (#"{ "interface": "eth0", "for": "1m" }"#, []),
        (#"{ "interface": "eth0", "confirm": "1m" }"#, []),
        (#"{ "interface": "eth0", "to": "10.0.0.1" }"#, []),
        (#"{ "interface": "eth0", "port": "53" }"#, []),
    ])
    func warnsOfARuleWithoutTargetAndEnd(body: String, warnings: [String]) throws {
        #expect(try Self.fields(body).warnings == warnings)
    }
}
