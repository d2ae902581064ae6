// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// What a client finds over the uplink of a sandbox is what it finds without one.
@Suite struct UplinkTests {
    private static let canLink = PrivateLink.isAvailable && Kernel.hasUplink
    private static let need: Comment = "needs root, /dev/net/tun and a process namespace"

    /// Functions of uplink.py, each of which a client runs outside and inside.
    private static let functions = [
        "manyShortConnections", "manyAtOnce", "refusals", "sizes", "headers", "bursts", "ends", "smallPath", "hops",
    ]

    @Test(.enabled(if: canLink, need), arguments: functions, ["root", "user"])
    func isAsOutside(function: String, caller: String) throws {
        for version in [4, 6] {
            try PrivateLink.check("uplink.py", "isTheSame('\(caller)', '\(function)', \(version))")
        }
    }

    /// A client that closes first keeps a port for a minute, unless it needs it.
    @Test(.enabled(if: canLink, need), arguments: [4, 6]) func usesTheClientsPortsAgain(version: Int) throws {
        try PrivateLink.check("uplink.py", "usesPortsAgain(\(version))")
    }

    @Test(.enabled(if: canLink, need), arguments: ["root", "user"]) func saysThatItIsFull(caller: String) throws {
        try PrivateLink.check("uplink.py", "tellsThatItIsFull('\(caller)')")
    }

    /// A client is not judged by what the uplink's own processes did.
    @Test(.enabled(if: canLink, need), arguments: ["root", "user"], ["stopped", "killed", "frozen"])
    func judgesNothingAfterItsGateway(caller: String, end: String) throws {
        try PrivateLink.check("uplink.py", "judgesNothingAfterItsGateway('\(caller)', '\(end)')")
    }

    @Test(.enabled(if: canLink, need)) func isReportedWithItsCongestionControl() throws {
        try PrivateLink.check("uplink.py", "reportsItsCongestionControl()")
    }

    /// As the host lets groups ping, or root only.
    @Test(
        .enabled(if: canLink, need),
        arguments: [("root", "0 2147483647"), ("root", "1 0"), ("user", "0 2147483647")]
    )
    func pingsAsOutside(caller: String, groups: String) throws {
        for version in [4, 6] {
            try PrivateLink.check("uplink.py", "isTheSame('\(caller)', 'pings', \(version), '\(groups)')")
        }
    }

    @Test(
        .enabled(if: canLink, need),
        arguments: [
            ("nameserver 10.9.0.2\n", 4), ("nameserver fd09::2\n", 4), ("nameserver 10.9.0.2\nnameserver fd09::2\n", 6),
            // The first fails, is silent, or refuses.
            ("nameserver 10.9.0.3\nnameserver 10.9.0.2\n", 4),
            ("options timeout:1\nnameserver 10.9.3.1\nnameserver 10.9.0.2\n", 4),
            ("nameserver 10.9.0.1\nnameserver fd09::2\n", 4),
            // Nobody is asked, or the local host is, where nobody listens.
            ("# nothing\n", 4),
            ("search example\noptions ndots:3\nnameserver 10.9.0.2\n", 4),
        ]
    )
    func resolvesAsOutside(lines: String, version: Int) throws {
        for caller in ["root", "user"] {
            let text = lines.replacing("\n", with: "\\n")
            try PrivateLink.check("uplink.py", "resolves('\(caller)', \(version), '\(text)')")
        }
    }

    /// Without root, where the host lets no group ping.
    @Test(.enabled(if: canLink, need), arguments: [4, 6]) func saysThatPingsAreNotPermitted(version: Int) throws {
        try PrivateLink.check("uplink.py", "refusesPings('user', \(version))")
    }

    /// `doctor` names the server that answered, or why none did.
    @Test(
        .enabled(if: canLink, need),
        arguments: [
            ("nameserver 10.9.0.2\n", ["ok ", "10.9.0.2 answered"]),
            (
                "nameserver fd09::2\nnameserver 10.9.0.3\n",
                ["ok ", "fd09::2 answered", "10.9.0.3 answered that it failed"]
            ),
            ("nameserver 10.9.3.1\n", ["missing ", "10.9.3.1 did not answer within 2 s"]),
            ("nameserver 10.9.0.1\n", ["missing ", "10.9.0.1 cannot be reached\\n"]), ("# nothing\n", []),
        ]
    )
    func doctorAsksForAName(lines: String, expected: [String]) throws {
        let words = expected.map { ", '\($0)'" }.joined()
        for caller in ["root", "user"] {
            try PrivateLink.check(
                "uplink.py",
                "asksNames('\(caller)', '\(lines.replacing("\n", with: "\\n"))'\(words))"
            )
        }
    }

    @Test(.enabled(if: canLink, need), arguments: ["root", "user"]) func followsTheMachinesNameServers(caller: String)
        throws
    {
        try PrivateLink.check("uplink.py", "followsNameServers('\(caller)')")
    }

    /// As a kernel goes on with what a process has sent that has ended.
    @Test(
        .enabled(if: canLink, need),
        arguments: [
            "'uploads', 5000000", "'uploads', 2000, 'LTE'", "'sends', 1", "'sends', 3, '--uplink', 'delay=50 ms'",
        ]
    )
    func whatWasSentArrives(call: String) throws {
        for caller in ["root", "user"] { try PrivateLink.check("uplink.py", "arrives('\(caller)', \(call))") }
    }

    @Test(.enabled(if: canLink, need), arguments: ["root", "user"])
    func aCutUploadDoesNotLookWhole(caller: String) throws {
        try PrivateLink.check("uplink.py", "isCutOff('\(caller)')")
    }

    @Test(.enabled(if: canLink, need), arguments: ["root", "user"], ["False", "True"])
    func aKilledOrFrozenGatewayIsSilenceInsideAndAResetOutside(caller: String, isFrozen: String) throws {
        try PrivateLink.check("uplink.py", "losesItsGateway('\(caller)', \(isFrozen))")
    }

    @Test(.enabled(if: canLink, need)) func needsACongestionControlThatTheKernelHas() throws {
        let call = """
            output = linkcond("run --server-congestion nosuch -- echo ran", False)
            expect('no congestion control "nosuch"' in output and "modprobe" in output and "ran" not in output, output)
            """
        try PrivateLink.check("uplink.py", call)
    }
}
