// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// What `monitor` says of outages and of this host's links.
@Suite struct OutageTests {
    /// The outages of the summary and their seconds, and whether the last goes on.
    private static func down(_ steps: [(after: Double, profile: String)], seconds: Int) throws
        -> (count: Int, seconds: Double, isNow: Bool)
    {
        let list = steps.enumerated().map {
            #"{"label": "\#($0)", "after": "\#($1.after) s", "profile": \#($1.profile)}"#
        }
        let scenario = #"{"name": "s", "profile": {"name": "p"}, "steps": [\#(list.joined(separator: ", "))]}"#
        let outcome = try Program.start(
            [
                Program.path, "run", "--offline", "--scenario", "-", "--monitor", "icmp://127.0.0.1", "--", "sleep",
                "\(seconds)",
            ],
            input: scenario
        )
        let found = try #require(
            (outcome.output + outcome.errors).firstMatch(of: /(\d+) x, ([\d.]+) s(, now)?/),
            "\(outcome)"
        )
        return (Int(found.1) ?? 0, Double(found.2) ?? 0, found.3 != nil)
    }

    private static let (lost, free) = (#""100% Loss""#, #"{"name": "free"}"#)

    /// One that lasts to the end, one that ends, and both.
    @Test(
        .enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"),
        arguments: [
            ([(3, lost)], 14, 1, 8...11.5, true), ([(3, lost), (8, free)], 20, 1, 5...14, false),
            ([(3, lost), (8, free), (10, lost)], 30, 2, 13...23, true),
        ] as [([(after: Double, profile: String)], Int, Int, ClosedRange<Double>, Bool)]
    )
    func countsAnOutageThatLastsToTheEnd(
        steps: [(after: Double, profile: String)],
        seconds: Int,
        count: Int,
        range: ClosedRange<Double>,
        isNow: Bool
    ) throws {
        let down = try Self.down(steps, seconds: seconds)
        #expect(down.count == count && range ~= down.seconds && down.isNow == isNow, "\(down)")
    }

    /// Addresses with their interface; routes as objects, of one next hop and of two, and one that leads nowhere.
    @Test(.enabled(if: Kernel.hasNamespaces, "needs network namespaces")) func tellsOfLinksInJSON() throws {
        let outcome = try Program.isolatedShell(
            """
            ip link set lo up
            $LINKCOND monitor --json --for 4s icmp://127.0.0.1 & sleep 1.5
            ip link add va type veth peer name vb; ip link set va up; ip link set vb up
            ip address add 192.0.2.1/24 dev va; ip address add 192.0.2.2/24 dev vb
            ip route add 198.51.100.0/24 via 192.0.2.9 dev va metric 7 mtu 1400
            ip route add 203.0.113.0/24 nexthop via 192.0.2.9 dev va nexthop via 192.0.2.8 dev vb
            ip route add blackhole 10.9.0.0/16
            ip address del 192.0.2.2/24 dev vb
            wait
            """
        )
        #expect(!outcome.output.contains("Optional(") && !outcome.output.contains("Netlink."), "\(outcome.output)")
        let events = try outcome.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
        func links(_ change: String) -> [[String: Any]] { events.filter { $0["change"] as? String == change } }
        for change in ["addressAdded", "addressRemoved"] {
            let found = links(change).filter { ($0["address"] as? String)?.hasPrefix("192.0.2.") == true }
            #expect(
                !found.isEmpty && found.allSatisfy { $0["interface"] is String && $0["index"] is Int },
                "\(outcome.output)"
            )
        }
        let routes = links("routeAdded").compactMap { $0["route"] as? [String: Any] }
        func route(_ destination: String) throws -> [String: Any] {
            try #require(routes.first { $0["destination"] as? String == destination }, "\(outcome.output)")
        }
        let one = try route("198.51.100.0/24")
        #expect(one["metric"] as? Int == 7 && one["kind"] as? String == "unicast" && one["mtu"] as? Int == 1400)
        let hops = try #require(try route("203.0.113.0/24")["nextHops"] as? [[String: Any]])
        #expect(hops.map { $0["interface"] as? String } == ["va", "vb"])
        #expect(hops.map { $0["gateway"] as? String } == ["192.0.2.9", "192.0.2.8"])
        #expect(try route("10.9.0.0/16")["kind"] as? String == "blackhole")
    }
}
