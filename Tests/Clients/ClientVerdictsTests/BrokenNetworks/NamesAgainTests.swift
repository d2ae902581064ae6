// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// `asks DNS again within 10 s of 'label'`
struct NamesAgainTests {
    private static let expectation = "asks DNS again within 2 s of 'new'"

    /// A client that asked for api.test at these times; the network is a new one from 1 s on.
    private func run(_ times: [Int], others: [Int] = []) -> JudgedRun {
        var run = JudgedRun()
        run.label("new", 1000, 4000)
        run.label("end", 4000, 10_000)
        run.traffic.nameQueries = times.map { NameQuery(name: "Api.test", type: 1, packet: run.packet($0)) }
        run.traffic.nameQueries += others.map { NameQuery(name: "other.test", type: 1, packet: run.packet($0)) }
        run.traffic.nameQueries.sort { $0.packet.sent < $1.packet.sent }
        return run
    }

    @Test func measuresTheTimeFromTheLabel() throws {
        let pass = try run([100, 1500]).judge(Self.expectation)
        #expect(pass.verdict == .pass && pass.finding == "Api.test was asked for 500 ms after 'new'", "\(pass)")
        let late = try run([100, 4500]).judge(Self.expectation)
        #expect(late.verdict == .fail && late.finding == "Api.test was asked for 3.5 s after 'new'", "\(late)")
        let never = try run([100, 900]).judge(Self.expectation)
        #expect(never.verdict == .fail && never.remedy != nil, "\(never)")
        #expect(never.finding == "no query for a name of before came in the 9 s after 'new'")
    }

    /// A name that was not asked for before says nothing of old answers.
    @Test func countsNamesOfBeforeOnly() throws {
        #expect(try run([100], others: [1500]).verdict(Self.expectation) == .fail)
        #expect(try run([100, 1400], others: [200]).verdict(Self.expectation) == .pass)
        #expect(
            try run([100, 1400], others: [200]).verdict("asks DNS again to other.test within 2 s of 'new'") == .fail
        )
        #expect(try run([100, 1400]).verdict("asks DNS again to api.test within 2 s of 'new'") == .pass)
        #expect(try run([100, 1400]).verdict("asks DNS again to no.test within 2 s of 'new'") == .inconclusive)
    }

    @Test func judgesNothingWithoutQueriesBefore() throws {
        let judgement = try run([1500]).judge(Self.expectation)
        #expect(
            judgement.verdict == .inconclusive && judgement.finding.contains("a cache of this machine"),
            "\(judgement)"
        )
        #expect(try run([100, 1500]).verdict("asks DNS again within 2 s of 'newer'") == .inconclusive)
    }

    /// DNS over TLS, and over HTTPS as its server's name tells.
    @Test(arguments: [(853, "a.test"), (443, "cloudflare-dns.com"), (443, "dns.google"), (443, "api.test")])
    func isInDoubtWhereQueriesMayBeEncrypted(port: UInt16, name: String) throws {
        var run = run([100])
        let index = try run.connect(at: 1500, port: port, answers: [1600])
        (run.traffic.connections[index].serverName, run.traffic.connections[index].isNamedByClient) = (name, true)
        #expect(try run.verdict(Self.expectation) == (name == "api.test" ? .fail : .inconclusive))
    }

    @Test func isInDoubtWhereTheEvidenceIs() throws {
        var run = run([100])
        run.traffic.link.missing = 1
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        run.traffic.link.missing = 0
        run.traffic.link.unplaced.queries = [JudgedRun.at(1500)]
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        run.traffic.link.unplaced.queries = []
        run.record.end = JudgedRun.at(2500)
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        run.record.end = JudgedRun.at(3500)
        #expect(try run.verdict(Self.expectation) == .fail)
        run.record.shortfall = .damaged
        #expect(try run.verdict(Self.expectation) == .inconclusive)
    }
}
