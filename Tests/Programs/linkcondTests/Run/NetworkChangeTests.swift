// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Scenarios that change the network of a sandbox's uplink.
@Suite struct NetworkChangeTests {
    private static let canLink = PrivateLink.isAvailable && Kernel.hasUplink
    private static let need: Comment = "needs root, /dev/net/tun and a process namespace"

    /// Calls a function of the script.
    private func check(_ call: String) throws {
        try PrivateLink.check("network-changes.py", call)
    }

    private static let callers = ["root", "user"]

    @Test(.enabled(if: canLink, need), arguments: callers)
    func aLinkThatIsDownIsUnreachableAndComesBackAsItWas(caller: String) throws {
        try check("losesTheLink('\(caller)')")
    }

    @Test(.enabled(if: canLink, need), arguments: callers)
    func newAddressesReachServersAndOldSocketsDie(caller: String) throws {
        try check("getsNewAddresses('\(caller)')")
    }

    @Test(.enabled(if: canLink, need), arguments: callers)
    func bothAddressesWorkWhileAHandOverLasts(caller: String) throws {
        try check("handsOver('\(caller)')")
    }

    @Test(.enabled(if: canLink, need), arguments: callers)
    func serversOfIPv4AreReachedWithoutIPv4(caller: String) throws {
        try check("livesWithoutIPv4('\(caller)')")
    }

    @Test(.enabled(if: canLink, need))
    func packetsForAnOldAddressAreLostAndTold() throws {
        try check("comesBackWithANewAddress()")
    }

    @Test(.enabled(if: canLink, need), arguments: ["staysAway", "reconnects", "closes"])
    func aVerdictCountsOnlyWhatTheNewAddressGets(function: String) throws {
        try check("\(function)()")
    }

    @Test(.enabled(if: canLink, need), arguments: ["root", "user"])
    func aSmallMTUIsTheKernelsOwnAndGoesWithItsProfile(caller: String) throws {
        try check("setsTheMTU('\(caller)')")
    }

    @Test(.enabled(if: canLink, need), arguments: ["dead", "absent"], ["root", "user"])
    func ipv6IsDeadOrAbsentUntilTheNextProfile(kind: String, caller: String) throws {
        try check("losesIPv6('\(kind)', '\(caller)')")
    }

    @Test(.enabled(if: canLink, need), arguments: callers)
    func anIdleMappingIsLostAndItsClientComesFromAnotherPort(caller: String) throws {
        try check("forgetsIdleMappings('\(caller)')")
    }

    @Test(.enabled(if: canLink, need), arguments: [("nat", #"{"idle": "2 s"}"#), ("ipv6", #""dead""#)])
    func aNetworkNeedsNoFiguresOfALink(key: String, value: String) throws {
        try check("holdsWithoutFigures('\(key)', '\(value)')")
    }

    @Test(.enabled(if: canLink, need), arguments: [("nat rebinding", "port"), ("Wi-Fi To Cellular", "address")])
    func builtInScenariosHaveNames(name: String, fact: String) throws {
        try check("isBuiltIn('\(name)', '\(fact)')")
    }

    @Test(.enabled(if: canLink, need), arguments: callers)
    func aRebindGivesEveryFlowAnotherPort(caller: String) throws {
        try check("rebinds('\(caller)')")
    }

    @Test(.enabled(if: canLink, need)) func aFaultsResetReachesTheServerThroughANAT() throws {
        try check("resetsBehindANAT()")
    }

    @Test(.enabled(if: canLink, need), arguments: callers)
    func aTranslatorThatComesLetsConnectionsGoOn(caller: String) throws {
        try check("translatorComes('\(caller)')")
    }

    /// As of a client behind a router that has forgotten it, or that is somewhere else.
    @Test(.enabled(if: canLink, need), arguments: ["root", "user"], ["rebind", "address", "idle"])
    func serversNoticeThatAClientIsLost(caller: String, how: String) throws {
        try check("serversNotice('\(caller)', '\(how)')")
    }

    @Test(.enabled(if: canLink, need)) func translationKeepsPacketsWhole() throws {
        try check("carriesMuch()")
    }

    @Test(arguments: [
        ("\"mtu\": 1280", "mtu", ["run", "--offline"]), ("\"ipv6\": \"dead\"", "ipv6", ["run", "--offline"]),
    ])
    func refusesANetworkWithoutAnUplink(member: String, key: String, command: [String]) throws {
        let files = try TemporaryDirectory()
        try files.write("small.json", "{ \"name\": \"Small\", \(member) }")
        let outcome = try Program.start([Program.path] + command + ["\(files.path)/small.json", "--", "echo", "ran"])
        #expect(outcome.status == 125 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("\"\(key)\" of \"Small\" needs an uplink"), "\(outcome.errors)")
    }

    @Test(.enabled(if: PrivateLink.isAvailable, PrivateLink.need)) func refusesANetworkOnAnInterface() throws {
        let call = """
            open("/tmp/small.json", "w").write('{ "name": "Small", "mtu": 1280 }')
            for command in ("apply /tmp/small.json -i near0", "run -i near0 /tmp/small.json -- echo ran"):
                output = linkcond(command, False)
                expect('"mtu" of "Small" is for the uplink of a sandbox, not for near0' in output and "ran" not in output, output)
            expect(dump() == before, "something is left")
            """
        try check(call)
    }

    /// At its place in the file, and before the command runs.
    @Test(arguments: [
        (["--offline"], "$.steps[0].link: \"link\" changes the uplink, and with --offline there is none"),
        (["--engine", "netem"], "$.steps[0].link: netem cannot change the network: leave out --engine"),
    ])
    func refusesAChangeThatTheSandboxCannotMake(options: [String], words: String) throws {
        let files = try TemporaryDirectory()
        let step = #"{ "label": "lost", "after": "1 s", "link": "down" }"#
        try files.write("lost.json", "{ \"name\": \"Lost\", \"profile\": \"3G\",\n  \"steps\": [\(step)] }")
        let path = "\(files.path)/lost.json"
        let outcome = try Program.start([Program.path, "run", "--scenario", path] + options + ["--", "echo", "ran"])
        #expect(outcome.status == 125 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("lost.json:2:56: \(words)"), "\(outcome.errors)")
    }
}
