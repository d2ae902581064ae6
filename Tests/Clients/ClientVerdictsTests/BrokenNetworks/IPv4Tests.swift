// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// `uses IPv4 within 500 ms`
struct IPv4Tests {
    private static let expectation = "uses IPv4 within 500 ms"

    /// A client that knows both addresses of api.test, and attempts one over IPv6 at 100 ms.
    private func run(ipv4At begin: Int?, ipv6AnsweredAt reply: Int? = nil) throws -> JudgedRun {
        var run = JudgedRun()
        run.record.hosts = HostNames(Array("192.0.2.7 api.test\n2001:db8::7 api.test\n".utf8))
        try run.connect(at: 100, to: "2001:db8::7", isAccepted: false)
        if let reply { run.traffic.connections[0].accepted = run.packet(reply - 20) }
        if let begin { try run.connect(at: begin, answers: [begin + 40]) }
        return run
    }

    @Test func measuresTheTimeFromTheFirstAttemptOverIPv6() throws {
        let pass = try run(ipv4At: 301).judge(Self.expectation)
        #expect(pass.verdict == .pass && pass.packets.count == 2)
        #expect(
            pass.finding == "an attempt over IPv4 to api.test:80 began 201 ms after one over IPv6 that got no answer"
        )
        let fail = try run(ipv4At: 1301).judge(Self.expectation)
        #expect(fail.verdict == .fail && fail.finding.contains("began 1.2 s after"), "\(fail)")
        #expect(fail.remedy?.contains("RFC 8305") == true)
    }

    @Test func failsAClientThatStaysWithIPv6() throws {
        let fail = try run(ipv4At: nil).judge(Self.expectation)
        #expect(fail.verdict == .fail && fail.finding.contains("began in the 9.9 s after"), "\(fail)")
        // An answer that comes too late for the limit is none.
        #expect(try run(ipv4At: nil, ipv6AnsweredAt: 3000).judge(Self.expectation).finding.contains("in the 2.9 s"))
        #expect(try run(ipv4At: 300, ipv6AnsweredAt: 3000).verdict(Self.expectation) == .pass)
    }

    @Test func judgesNothingWhereIPv6Works() throws {
        let answered = try run(ipv4At: nil, ipv6AnsweredAt: 150).judge(Self.expectation)
        #expect(answered.verdict == .inconclusive && answered.finding == "each attempt over IPv6 got an answer")
        var refused = try run(ipv4At: nil)
        refused.traffic.connections[0].endings = [.init(.reset, by: .server, refused.packet(110))]
        #expect(try refused.verdict(Self.expectation) == .inconclusive)
        var none = JudgedRun()
        try none.connect(at: 0)
        #expect(try none.judge(Self.expectation).finding == "no attempt over IPv6 was seen")
    }

    /// RFC 8305: addresses of both versions in turn, and none while a connection is open.
    @Test func takesAttemptsAtOneNameTogether() throws {
        var run = try run(ipv4At: 500)
        run.record.hosts = HostNames(Array("192.0.2.7 api.test\n2001:db8::7 api.test\n2001:db8::8 api.test\n".utf8))
        try run.connect(at: 350, to: "2001:db8::8", isAccepted: false)
        try run.connect(at: 700, to: "2001:db8::8", isAccepted: false)
        let pass = try run.judge(Self.expectation)
        #expect(pass.verdict == .pass && pass.finding.contains("began 400 ms after"), "\(pass)")
        #expect(pass.finding.hasSuffix("; 1 more were in time"), "\(pass)")
        // Another name, which is not tried again.
        run.record.hosts = HostNames(
            Array("192.0.2.7 a.test\n2001:db8::7 a.test\n192.0.2.9 b.test\n2001:db8::8 b.test\n".utf8)
        )
        #expect(try run.verdict(Self.expectation) == .fail)
        #expect(try run.verdict("uses IPv4 to a.test within 500 ms") == .pass)
    }

    /// As where /etc/hosts has the IPv4 address first.
    @Test func takesWhatWasTriedOverIPv4JustBefore() throws {
        var run = try run(ipv4At: 90)
        run.traffic.connections[1].endings = [.init(.reset, by: .server, run.packet(91))]
        let pass = try run.judge(Self.expectation)
        #expect(pass.verdict == .pass && pass.finding.contains("was in use already"), "\(pass)")
        var earlier = try self.run(ipv4At: 0)
        earlier.traffic.connections[0].attempts = [earlier.packet(5000)]
        earlier.traffic.connections[1].endings = [.init(.finish, by: .client, earlier.packet(60))]
        #expect(try earlier.verdict(Self.expectation) == .fail)
    }

    @Test func countsAttemptsOfALabelOnly() throws {
        var run = try run(ipv4At: nil)
        run.label("before", 50, 200)
        run.label("after", 200, 10_000)
        #expect(try run.verdict("uses IPv4 within 500 ms during 'before'") == .fail)
        #expect(try run.verdict("uses IPv4 within 500 ms during 'after'") == .inconclusive)
        #expect(try run.judge("uses IPv4 within 500 ms during 'never'").finding.hasPrefix("no step and no mark"))
        // What begins after the label's end counts for an attempt in it.
        try run.connect(at: 400, answers: [440])
        #expect(try run.verdict("uses IPv4 within 500 ms during 'before'") == .pass)
    }

    @Test func isInDoubtWhereNoIPv4AddressIsKnown() throws {
        var run = try run(ipv4At: nil)
        run.record.hosts = HostNames(Array("2001:db8::7 api.test\n".utf8))
        let doubt = try run.judge(Self.expectation)
        #expect(doubt.verdict == .inconclusive && doubt.finding.hasSuffix("no IPv4 address of it was seen"), "\(doubt)")
        var query = NameQuery(name: "API.test", type: 1, packet: run.packet(50))
        query.answer = run.packet(60)
        run.traffic.nameQueries = [query]
        #expect(try run.judge(Self.expectation).finding.hasSuffix("it has no IPv4 address"))
        run.traffic.nameQueries[0].addresses = [try #require(IPAddress("192.0.2.9"))]
        #expect(try run.verdict(Self.expectation) == .fail)
        // It cannot use what it does not know.
        run.traffic.nameQueries[0].answer = run.packet(900)
        try run.connect(at: 1_000)
        run.traffic.connections[1].server.address = try #require(IPAddress("192.0.2.9"))
        let late = try run.judge(Self.expectation)
        #expect(late.verdict == .inconclusive && late.finding.contains("was known 820 ms after"), "\(late)")
    }

    /// Neither DNS nor /etc/hosts tells the names.
    @Test func goesByTheProcessWhereNoNameIsKnown() throws {
        var run = try run(ipv4At: 300)
        run.record.hosts = HostNames()
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        for index in run.traffic.connections.indices {
            let socket = SocketEnds(of: run.traffic.connections[index])
            run.record.owners.append(.init(time: JudgedRun.at(9000), socket: socket, name: "curl (7)", holder: nil))
        }
        let pass = try run.judge(Self.expectation)
        #expect(
            pass.verdict == .pass && pass.finding.hasPrefix("curl (7) began an attempt over IPv4 200 ms"),
            "\(pass)"
        )
        run.record.owners[1].name = "curl (8)"
        #expect(try run.verdict(Self.expectation) == .inconclusive)
    }

    @Test func isInDoubtWhereTheEvidenceIs() throws {
        var run = try run(ipv4At: 700)
        run.traffic.link.missing = 1
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        run.traffic.link.missing = 0
        run.traffic.link.unplaced.openings = [JudgedRun.at(300)]
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        run.traffic.link.unplaced.openings = []
        run.stall(100, 700, 150)
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        var short = try self.run(ipv4At: nil)
        short.record.end = JudgedRun.at(400)
        let doubt = try short.judge(Self.expectation)
        #expect(doubt.verdict == .inconclusive && doubt.finding.hasPrefix("the command ended 300 ms after"), "\(doubt)")
    }
}
