// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Netlink
@testable import Probing
@testable import Reachability

/// What a monitor says of each way in which a target can fail to answer, on real routes and from real servers.
@Suite(.enabled(if: ProbeNetwork.isAvailable, ProbeNetwork.need)) struct ClassificationTableTests {
    /// The beginning of addresses, why they do not answer, and which router says so.
    typealias Place = (prefix: String, reason: Reason, offender: String?)

    static let places: [IPAddress.Family: [Place]] = [
        .ipv4: [
            ("10.75.0", .noRoute, nil), ("10.76.0", .routeUnreachable, nil), ("10.77.0", .routeProhibited, nil),
            ("10.78.0", .routeBlackhole, nil), ("10.71.1", .neighbourUnresolved, nil), ("10.74.0", .blackHole, nil),
            ("10.72", .hostUnreachable, "10.71.1.1"), ("10.73", .adminProhibited, "10.71.1.1"),
            ("10.79", .netUnreachable, "10.71.1.1"),
        ],
        .ipv6: [
            ("fd75::", .noRoute, nil), ("fd76::", .routeUnreachable, nil), ("fd77::", .routeProhibited, nil),
            ("fd78::", .routeBlackhole, nil), ("fd71:1::", .neighbourUnresolved, nil), ("fd74::", .blackHole, nil),
            ("fd73::", .adminProhibited, "fd71:1::1"), ("fd79::", .netUnreachable, "fd71:1::1"),
        ],
    ]

    /// The ways to ask, for an address.
    static let ways = [
        "icmp://*", "host://*", "tcp://*:9", "udp://*:9", "tls://*", "http://*/", "https://*/", "dns://*/ok.test",
    ]

    @Test(arguments: IPAddress.Family.allCases)
    func tellsWhyPacketsDoNotArrive(_ family: IPAddress.Family) async throws {
        var rows: [TableRow] = []
        var commands: [String] = []
        for place in try #require(Self.places[family]) {
            for (number, way) in Self.ways.enumerated() {
                var host = family == .ipv6 ? "[\(place.prefix)9\(number)]" : "\(place.prefix).9\(number)"
                if family == .ipv4, place.offender != nil {
                    // A router of Linux answers each sender once a second (net/ipv4/route.c, ip_error): ours has many.
                    let source = "10.71.1.\(120 + rows.count)"
                    host = "\(place.prefix).\(number).1"
                    commands.append("addr add \(source)/24 dev c0")
                    commands.append("route add \(host) via 10.71.1.1 src \(source)")
                }
                // What is wrong on the way to a server of names is wrong with the name.
                let isRemote = way.hasPrefix("dns") && (place.offender != nil || place.reason == .blackHole)
                let reason = !isRemote ? place.reason : place.offender == nil ? .queryTimeout : .serverUnreachable
                let target = way.replacing("*", with: host)
                rows.append(try TableRow(target, reason, offender: place.offender))
            }
        }
        let (all, batch) = (rows, commands.joined(separator: "\n"))
        try await MonitoredNetwork.with { monitored in
            let (client, router) = (monitored.network.client, monitored.network.router)
            try Shell.check(
                """
                ip -n \(client) -batch - <<END
                \(batch)
                END
                ip -n \(router) route add unreachable 10.72.0.0/16
                ip -n \(router) route add prohibit 10.73.0.0/16
                """
            )
            var policy = MonitoredNetwork.policy
            (policy.interval, policy.fastInterval, policy.downInterval) = (.seconds(2), .seconds(2), .seconds(2))
            try await monitored.monitor(policy).expect(all)
        }
    }

    @Test(arguments: IPAddress.Family.allCases)
    func tellsWhatServersDo(_ family: IPAddress.Family) async throws {
        try await MonitoredNetwork.with { monitored in
            let host = family == .ipv4 ? "10.71.2.2" : "[fd71:2::2]"
            let name = family == .ipv4 ? "four.wild.test" : "six.wild.test"
            var rows = [
                try TableRow("icmp://\(host)"), try TableRow("host://\(host)"),
                try TableRow("tcp://\(host):7001"), try TableRow("tcp://\(host):9", .refused),
                try TableRow("udp://\(host):7002"), try TableRow("udp://\(host):9", .refused),
                try TableRow("udp://\(host):7003", .blackHole),
                try TableRow("tls://\(host):9", .refused), try TableRow("https://\(host):9/", .refused),
            ]
            for (word, reason) in [
                ("ok", nil), ("nx", Reason.nxdomain), ("empty", .nodata), ("servfail", .servfail),
                ("refused", .queryRefused), ("silent", .queryTimeout), ("garbage", .malformedAnswer),
            ] {
                rows.append(try TableRow("dns://\(host)/\(word).test", reason))
            }
            rows.append(try TableRow("dns://\(host):9/ok.test", .serverUnreachable))
            for (kind, reason) in [
                ("tls-good", nil), ("tls-expired", Reason.tlsExpired), ("tls-early", .tlsNotYetValid),
                ("tls-self", .tlsUntrusted), ("tls-unknown", .tlsUntrusted), ("tls-other", .tlsNameMismatch),
                ("tls-old", .tlsVersionOrALPN), ("alert", .tlsAlert), ("plain", .tlsMalformed),
                ("silent", .tlsTimeout), ("reset", .reset), ("close", .closedEarly),
            ] {
                let port = try monitored.servers.port(kind)
                rows.append(try TableRow("tls://\(name):\(port)", reason))
                rows.append(try TableRow("https://\(name):\(port)/", reason))
            }
            for (kind, expected, reason) in [
                ("200", "#body=well", nil), ("204", "", nil), ("301", "#status=200", Reason.redirect),
                ("401", "", .authRequired), ("404", "", .status), ("500", "", .status),
                ("200", "#body=ill", .bodyMismatch),
                ("silent", "", .firstByteTimeout), ("slow-body", "#body=well", .bodyTimeout), ("reset", "", .reset),
                ("reset-later", "", .reset), ("close", "", .closedEarly), ("short-body", "", .closedEarly),
                ("garbage", "", .malformed),
            ] {
                let target = "http://\(name):\(try monitored.servers.port(kind))/\(expected)"
                rows.append(try TableRow(target, reason))
            }
            try await monitored.monitor().expect(rows)
        }
    }

    @Test func tellsWhyNamesAreNotFound() async throws {
        try await MonitoredNetwork.with { monitored in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (server, words) in [
                    (
                        "10.71.2.2",
                        [
                            ("nx", Reason.nxdomain), ("empty", .nodata), ("servfail", .servfail),
                            ("refused", .queryRefused), ("silent", .queryTimeout),
                        ]
                    ),
                    ("10.71.1.1", [("ok", .serverUnreachable)]), ("10.79.0.1", [("ok", .serverUnreachable)]),
                    ("10.75.0.1", [("ok", .serverUnreachable)]), ("10.74.0.1", [("ok", .queryTimeout)]),
                    ("fd71:1::1", [("ok", .serverUnreachable)]), ("fd74::1", [("ok", .queryTimeout)]),
                ] {
                    let rows = try words.flatMap { word, reason in
                        try
                            (server == "10.71.2.2"
                            ? ["tcp://\(word).test:80", "https://\(word).test/"] : ["tcp://\(word).test:80"]).map {
                                try TableRow($0, reason)
                            }
                    }
                    let monitor = try monitored.monitor(nameserver: server)
                    group.addTask { try await monitor.expect(rows) }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: IPAddress.Family.allCases)
    func tellsPortalsFromTheInternet(_ family: IPAddress.Family) async throws {
        try await MonitoredNetwork.with { monitored in
            let suffix = family == .ipv4 ? "4.test" : "6.test"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (kinds, state, reason) in [
                    (["204", "204", "204"], PathVerdict.State.reachable, Reason?.none),
                    (["301", "301", "301"], .captive, .portalRedirect),
                    (["200", "200", "200"], .captive, .portalContent),
                    (["511", "511", "511"], .captive, .portalHTTP511),
                    (["tls-self", "tls-self", "204"], .captive, .portalInterception),
                    (["silent", "silent", "silent"], .limited, .firstByteTimeout),
                ] {
                    var policy = MonitoredNetwork.policy
                    policy.internetChecks = try zip(["a", "b", "c"], kinds).map { name, kind in
                        HTTPQuestion(
                            isSecure: kind.hasPrefix("tls"),
                            host: name + suffix,
                            port: try monitored.servers.port(kind),
                            path: "/generate_204",
                            status: 204
                        )
                    }
                    let monitor = try monitored.monitor(policy)
                    let row = try TableRow("internet", reason, state: state)
                    group.addTask { try await monitor.expect([row]) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The kernel's word on the link, to a monitor that saw it fail, and to one that was made later.
    @Test(arguments: [("c", "c0", Reason.adminDown), ("r", "r0", .noCarrier)])
    func tellsThatTheLinkIsDown(_ end: (side: String, name: String, reason: Reason)) async throws {
        try await MonitoredNetwork.with { monitored in
            var policy = MonitoredNetwork.policy
            // Only the kernel's word makes the monitor doubt a target that has answered: nothing asks it again in time.
            policy.interval = HangLimit.duration * 10
            policy.internetChecks = try ["a4.test", "b4.test"].map {
                HTTPQuestion(host: $0, port: try monitored.servers.port("204"), path: "/generate_204", status: 204)
            }
            let targets = [
                "icmp://10.71.2.2", "tcp://10.71.2.2:7001", "tcp://10.71.1.1:9",
                "https://four.wild.test:\(try monitored.servers.port("tls-good"))/", "dns://10.71.2.2/ok.test",
                "internet",
            ]
            let monitor = try monitored.monitor(policy)
            try await monitor.expect(
                try targets.map { try TableRow($0, $0.hasSuffix(":9") ? .refused : nil) }
            )
            let namespace = end.side == "c" ? monitored.network.client : monitored.network.router
            let before = monitor.events(of: try targets.map { try Target($0) }).makeAsyncIterator()
            try Shell.check("ip -n \(namespace) link set \(end.name) down")
            let rows = try targets.map { try TableRow($0, end.reason) }
            await Self.wait(for: rows, in: monitor)
            for row in rows { #expect(monitor.status(of: row.target).cause == .link("c0"), "\(row.target)") }
            try await monitored.monitor(policy).expect(rows)
            try Shell.check("ip -n \(namespace) link set \(end.name) up")
            if end.side == "c" { try Shell.check("ip -n \(namespace) route add default via 10.71.1.1") }
            for target in targets where !target.hasSuffix(":9") {
                await Self.wait(for: [try TableRow(target)], in: monitor)
            }
            withExtendedLifetime(before) {}
        }
    }

    private static func wait(for rows: [TableRow], in monitor: ReachabilityMonitor) async {
        for row in rows {
            var status = monitor.status(of: row.target)
            let agrees = await HangLimit.awaits {
                status = monitor.status(of: row.target)
                return row.agrees(with: status)
            }
            #expect(agrees, "\(row.target): \(status.state) \(status.reason?.description ?? "-")")
        }
    }
}
