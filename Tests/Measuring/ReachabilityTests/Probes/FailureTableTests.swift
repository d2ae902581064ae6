// SPDX-License-Identifier: Apache-2.0

import Netlink
import TestKit
import Testing

@testable import Probing

/// What a probe says of each way in which a target can fail to answer, on real routes.
@Suite(.enabled(if: ProbeNetwork.isAvailable, ProbeNetwork.need)) struct FailureTableTests {
    struct Row: Sendable {
        var target: String
        var finding: Observation.Finding
        var offender: String?
    }

    /// The rows that hold for every kind of probe.
    static let common: [IPAddress.Family: [Row]] = [
        .ipv4: [
            Row(target: "10.75.0.1", finding: .impossible(.noRoute)),
            Row(target: "10.76.0.1", finding: .impossible(.routeUnreachable)),
            Row(target: "10.77.0.1", finding: .impossible(.routeProhibited)),
            Row(target: "10.78.0.1", finding: .impossible(.routeBlackhole)),
            Row(target: "10.71.1.99", finding: .failed(.neighbourUnresolved), offender: "10.71.1.2"),
            Row(target: "10.71.2.99", finding: .failed(.hostUnreachable), offender: "10.71.1.1"),
            Row(target: "10.72.0.1", finding: .failed(.hostUnreachable), offender: "10.71.1.1"),
            Row(target: "10.73.0.1", finding: .failed(.adminProhibited), offender: "10.71.1.1"),
            Row(target: "10.74.0.1", finding: .failed(.blackHole)),
            Row(target: "10.79.0.1", finding: .failed(.netUnreachable), offender: "10.71.1.1"),
        ],
        .ipv6: [
            Row(target: "fd75::1", finding: .impossible(.noRoute)),
            Row(target: "fd76::1", finding: .impossible(.routeUnreachable)),
            Row(target: "fd77::1", finding: .impossible(.routeProhibited)),
            Row(target: "fd78::1", finding: .impossible(.routeBlackhole)),
            Row(target: "fe80::1", finding: .impossible(.scopeMissing)),
            Row(target: "fd71:1::99", finding: .failed(.neighbourUnresolved), offender: "fd71:1::2"),
            Row(target: "fd71:2::99", finding: .failed(.hostUnreachable), offender: "fd71:1::1"),
            Row(target: "fd73::1", finding: .failed(.adminProhibited), offender: "fd71:1::1"),
            Row(target: "fd74::1", finding: .failed(.blackHole)),
            Row(target: "fd79::1", finding: .failed(.netUnreachable), offender: "fd71:1::1"),
        ],
    ]

    /// Asks all of the table's targets at the same time, and compares.
    private func expectTable(
        _ family: IPAddress.Family,
        _ network: ProbeNetwork,
        _ probe: (IPAddress) -> Probe
    ) async throws {
        let loop = network.loop()
        let rows = try #require(Self.common[family])
        try await withThrowingTaskGroup(of: (Row, Observation).self) { group in
            for row in rows {
                let probe = probe(try #require(IPAddress(row.target)))
                let timeout = row.finding == .failed(.blackHole) ? Duration.seconds(6) : HangLimit.duration
                group.addTask { (row, await loop.ask(probe, timeout: timeout)) }
            }
            for try await (row, observation) in group {
                #expect(observation.finding == row.finding, "\(row.target): \(observation)")
                #expect(observation.offender == row.offender.flatMap { IPAddress($0) }, "\(row.target)")
                #expect((observation.icmp != nil) == (row.offender != nil), "\(row.target)")
            }
        }
        withExtendedLifetime(loop) {}
    }

    private static func far(_ family: IPAddress.Family) throws -> IPAddress {
        try #require(IPAddress(family == .ipv4 ? "10.71.2.2" : "fd71:2::2"))
    }

    @Test(arguments: IPAddress.Family.allCases)
    func tellsWhyTCPFails(_ family: IPAddress.Family) async throws {
        try await ProbeNetwork.with { network in
            try await expectTable(family, network) { .tcp($0, port: 9) }
        }
    }

    @Test(arguments: IPAddress.Family.allCases)
    func tellsWhyUDPFails(_ family: IPAddress.Family) async throws {
        try await ProbeNetwork.with { network in
            try await expectTable(family, network) { .udp($0, port: 9) }
        }
    }

    @Test(arguments: IPAddress.Family.allCases, [true, false])
    func tellsWhyPingFails(_ family: IPAddress.Family, onRawSocket: Bool) async throws {
        try await ProbeNetwork.with { network in
            if onRawSocket {
                let forbid = "echo 1 0 >/proc/sys/net/ipv4/ping_group_range"
                try Shell.check("ip netns exec \(network.client) sh -c '\(forbid)'")
            }
            try await expectTable(family, network) { .icmp($0) }
            let answer = await network.loop().ask(.icmp(try Self.far(family)))
            #expect(answer.answerTime != nil, "\(answer)")
            #expect(answer.hopLimit == 63)
        }
    }

    @Test(arguments: IPAddress.Family.allCases)
    func tellsAnswersAndRefusalsApart(_ family: IPAddress.Family) async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network)
            let loop = network.loop()
            let far = try Self.far(family)
            // Finding the neighbours takes its time.
            _ = await loop.ask(.icmp(far))
            let limit = Duration.milliseconds(500)
            #expect(try await loop.quickest(of: .tcp(far, port: 7001), below: limit, \.answerTime) < limit)
            let refusal = try await loop.quickest(of: .tcp(far, port: 9), below: limit) { refused in
                #expect(refused.finding == .failed(.refused))
                return refused.phases[.connect]
            }
            #expect(refusal < limit)
            #expect(await loop.ask(.udp(far, port: 7002)).answerTime != nil)
            let closed = await loop.ask(.udp(far, port: 9))
            #expect(closed.finding == .failed(.refused))
            #expect(closed.offender == far)
            #expect(await loop.ask(.udp(far, port: 7003), timeout: .milliseconds(200)).finding == .failed(.blackHole))
            withExtendedLifetime(servers) {}
        }
    }

    @Test func tellsALinkThatIsDown() async throws {
        try await ProbeNetwork.with { network in
            try Shell.check("ip -n \(network.client) link set c0 down")
            let far = try Self.far(.ipv4)
            let loop = network.loop()
            for probe in [Probe.icmp(far), .tcp(far, port: 7001), .udp(far, port: 7002)] {
                #expect(await loop.ask(probe).finding == .impossible(.noRoute))
            }
        }
    }
}

extension Prober {
    /// The shortest of up to fifty times until one is below `limit`: on a busy machine others are longer.
    func quickest(
        of probe: Probe,
        below limit: Duration,
        _ time: (Observation) throws -> Duration?
    ) async throws -> Duration {
        var minimum = Duration.seconds(Int64.max)
        for _ in 0..<50 where minimum >= limit {
            let observation = await ask(probe)
            minimum = min(minimum, try #require(try time(observation), "\(observation)"))
        }
        return minimum
    }
}

extension Observation {
    /// How long the answer took; nil where there was none.
    var answerTime: Duration? {
        guard case .answered(let time) = finding else { return nil }
        return time
    }
}
