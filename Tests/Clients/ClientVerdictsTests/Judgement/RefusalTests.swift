// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// Connections of which the server refused some: no pool would help.
struct RefusalTests {
    private let pool = "one pool of connections"

    private func refuse(_ run: inout JudgedRun, at begin: Int, to address: String) throws {
        let index = try run.connect(at: begin, to: address, isAccepted: false)
        let reset = run.packet(begin + 1)
        run.traffic.connections[index].endings = [Connection.Ending(.reset, by: .server, reset)]
    }

    /// `localhost` is ::1 first, where many servers do not listen.
    @Test func namesTheAddressThatRefusesBeforeAnotherAccepts() throws {
        var run = JudgedRun()
        try refuse(&run, at: 0, to: "::1")
        try run.connect(at: 50, to: "127.0.0.1", answers: [100], closed: 200)
        let judgement = try run.judge("at most 1 connection")
        #expect(judgement.verdict == .fail)
        #expect(judgement.finding == "2 connections, 1 of them refused at [::1]:80 before 127.0.0.1:80 accepted")
        #expect(judgement.remedy?.contains("the address at which it listens") == true)
        #expect(try run.judge("at most 2 connections").remedy == nil)
        // What is open at the same time is one.
        #expect(try run.verdict("at most 1 connection at a time") == .pass)
    }

    @Test func knowsAddressesOfOneNameByTheAnswersOfDNS() throws {
        var run = JudgedRun()
        try refuse(&run, at: 0, to: "2001:db8::7")
        try run.connect(at: 50, to: "192.0.2.7", answers: [100], closed: 200)
        #expect(try run.judge("at most 1 connection").finding == "2 connections, 1 of them refused")
        for index in 0..<2 { run.traffic.connections[index].resolvedNames = ["api.test"] }
        let finding = try run.judge("at most 1 connection").finding
        #expect(finding.hasSuffix("refused at [2001:db8::7]:80 before 192.0.2.7:80 accepted"))
    }

    @Test func advisesAPoolWhereTheOthersAreTooMany() throws {
        var run = JudgedRun()
        try refuse(&run, at: 0, to: "::1")
        for begin in [50, 500, 1000] { try run.connect(at: begin, to: "127.0.0.1", answers: [begin + 100]) }
        #expect(try run.judge("at most 1 connection").remedy?.contains(pool) == true)
        #expect(try run.judge("at most 3 connections").remedy?.contains(pool) == false)
    }

    /// A client that tries before its server listens.
    @Test func countsRefusalsOfOneAddress() throws {
        var run = JudgedRun()
        for begin in [0, 100, 200] { try refuse(&run, at: begin, to: "127.0.0.1") }
        try run.connect(at: 300, to: "127.0.0.1", answers: [400])
        let judgement = try run.judge("at most 1 connection")
        #expect(judgement.finding == "4 connections, 3 of them refused")
        #expect(judgement.remedy?.contains("when the server listens") == true)
    }
}
