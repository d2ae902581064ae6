// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// `monitor agrees`: the monitor may be out of date for 2 s and 3 s for its probes.
struct MonitorAgreementTests {
    private func verdict(_ time: Int, _ status: String, _ target: String = "tcp://192.0.2.7:80")
        -> RunRecord.MonitorVerdict
    {
        RunRecord.MonitorVerdict(
            JudgedRun.at(time),
            target,
            peer: Peer("192.0.2.7", port: 80),
            status: status,
            isReachable: status == "reachable" || status == "degraded",
            interval: .seconds(2),
            bound: .seconds(3)
        )
    }

    /// A client that asks for a connection at these times, in vain.
    private func run(asking times: [Int], _ verdicts: [RunRecord.MonitorVerdict], port: UInt16 = 80) throws -> JudgedRun
    {
        var run = JudgedRun()
        let index = try run.connect(at: times[0], port: port, isAccepted: false)
        for time in times.dropFirst() { run.traffic.connections[index].attempts.append(run.packet(time, lost: true)) }
        run.record.monitorVerdicts = verdicts
        return run
    }

    @Test func isSkippedWithoutAMonitor() throws {
        let judgement = try JudgedRun().judge("monitor agrees")
        #expect(judgement.verdict == .skipped && judgement.finding == "--monitor was not given")
    }

    @Test(arguments: [([0, 1000, 3000, 5100], Verdict.fail), ([0, 1000, 3000, 5000], .pass), ([0, 5100], .pass)])
    func findsSilenceOfATargetThatIsCalledReachable(_ times: [Int], _ expected: Verdict) throws {
        let judgement = try run(asking: times, [verdict(-500, "reachable")]).judge("monitor agrees")
        #expect(judgement.verdict == expected, "\(judgement.finding)")
        guard expected == .fail else { return }
        #expect(judgement.packets == [1, 2, 3, 4] && judgement.remedy != nil)
        #expect(judgement.finding.contains("reachable for the 5.1 s in which 4 packets of the client"))
    }

    @Test func endsASilenceWithAnAnswer() throws {
        var run = try run(asking: [0, 1000, 3000, 5100], [verdict(0, "reachable")])
        try run.connect(at: 1500, answers: [2000])
        #expect(try run.verdict("monitor agrees") == .pass)
    }

    @Test func countsSilenceOnlyFromTheVerdictOn() throws {
        let changes = [verdict(0, "unreachable"), verdict(1500, "reachable")]
        #expect(try run(asking: [0, 1000, 3000, 5100], changes).verdict("monitor agrees") == .pass)
        // Its quality changes nothing.
        let same = [verdict(0, "reachable"), verdict(1500, "degraded")]
        #expect(try run(asking: [0, 1000, 3000, 5100], same).verdict("monitor agrees") == .fail)
    }

    @Test(arguments: [(5600, Verdict.fail), (5100, .pass)])
    func findsAnswersOfATargetThatIsCalledUnreachable(_ last: Int, _ expected: Verdict) throws {
        var run = JudgedRun()
        try run.connect(at: 480, answers: [1000, 2500, 4000, last])
        run.record.monitorVerdicts = [verdict(0, "unreachable")]
        #expect(try run.verdict("monitor agrees") == expected)
    }

    /// What came before an outage and what came after it say nothing of the outage.
    @Test func doesNotJoinAnswersThatAreFarFromEachOther() throws {
        var run = JudgedRun()
        try run.connect(at: 480, answers: [600, 8000])
        run.record.monitorVerdicts = [verdict(0, "unreachable")]
        #expect(try run.verdict("monitor agrees") == .pass)
    }

    @Test(arguments: ["unknown", "suspended", "captive"])
    func takesNoClaimFromAMonitorThatMakesNone(_ status: String) throws {
        var run = JudgedRun()
        try run.connect(at: 0, answers: [1000, 2500, 4000, 5600])
        run.record.monitorVerdicts = [verdict(0, status)]
        #expect(try run.verdict("monitor agrees") == .inconclusive)
    }

    @Test func cannotCompareOtherTargets() throws {
        let run = try run(asking: [0, 1000, 3000, 5100], [verdict(0, "reachable")], port: 81)
        let judgement = try run.judge("monitor agrees")
        #expect(judgement.verdict == .inconclusive && judgement.finding.contains("tcp://192.0.2.7:80"))
    }

    @Test func knowsATargetByTheAddressesOfItsName() throws {
        var named = verdict(0, "reachable", "tcp://api.test:80")
        named.peer = Peer("api.test", port: 80)
        #expect(try run(asking: [0, 1000, 3000, 5100], [named]).verdict("monitor agrees") == .inconclusive)
        named.addresses = ["192.0.2.7"]
        #expect(try run(asking: [0, 1000, 3000, 5100], [named]).verdict("monitor agrees") == .fail)
    }

    @Test func doubtsSilenceIfPacketsAreMissing() throws {
        var run = try run(asking: [0, 1000, 3000, 5100], [verdict(0, "reachable")])
        run.traffic.link.missing = 1
        #expect(try run.verdict("monitor agrees") == .inconclusive)
    }
}
