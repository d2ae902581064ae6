// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// Where the machine, and not the client, may be to blame.
struct DoubtTests {
    @Test(arguments: [(50, Verdict.fail), (120, .inconclusive)])
    func doubtsALimitThatWasMissedByLessThanProcessesWaited(_ waited: Int, _ verdict: Verdict) throws {
        var run = JudgedRun()
        run.stall(4000, 5000, waited)
        #expect(try run.verdict("completes within 9.9 s") == verdict)
    }

    @Test func countsOnlyTheWaitsOfItsOwnTime() throws {
        var run = JudgedRun()
        try run.connect(at: 0, closed: 3000)
        run.label("left", 1000, 10_000, .mark)
        run.stall(5000, 9000, 4000)
        #expect(try run.verdict("closes within 1 s of 'left'") == .fail)
        run.stall(1500, 2900, 1400)
        #expect(try run.verdict("closes within 1 s of 'left'") == .inconclusive)
    }

    @Test func doubtsALimitThatALatePacketExplains() throws {
        var run = JudgedRun()
        try run.connect(at: 0, answers: [1100])
        run.traffic.link.late = [LinkRecord.LateDelivery(JudgedRun.at(1100), by: .milliseconds(150))]
        #expect(try run.verdict("first byte within 1 s") == .inconclusive)
        #expect(try run.verdict("first byte within 900 ms") == .fail)
    }

    /// Neither one that came before the time, nor one that came after it.
    @Test(arguments: [100, 5000])
    func excusesNoMissedLimitByALatePacketOfAnotherTime(delivered: Int) throws {
        var run = JudgedRun()
        try run.connect(at: 1000, answers: [2100])
        run.traffic.link.late = [LinkRecord.LateDelivery(JudgedRun.at(delivered), by: .seconds(3))]
        #expect(try run.verdict("first byte within 1 s") == .fail)
    }

    @Test func passesNoCloseWhereTheRecordOfSocketsEndsEarly() throws {
        var run = JudgedRun()
        try run.connect(at: 0, closed: 1500)
        run.label("left", 1000, 10_000, .mark)
        #expect(try run.verdict("closes within 1 s of 'left'") == .pass)
        run.record.isComplete = false
        #expect(try run.verdict("closes within 1 s of 'left'") == .inconclusive)
    }

    /// A client that waits for a processor waits longer than it would.
    @Test(arguments: [(1000, Verdict.fail), (4000, .inconclusive)])
    func doubtsTheWaitsOfABusyTime(_ waited: Int, _ verdict: Verdict) throws {
        var run = JudgedRun()
        for begin in 0..<6 { try run.connect(at: begin * 1000, isAccepted: false) }
        run.stall(0, 5000, waited)
        #expect(try run.verdict("attempts back off") == verdict)
    }

    /// Waiting makes no connections: a client is not excused by the work that it makes itself.
    @Test(arguments: ["connections", "connection attempts", "connections at a time"])
    func excusesNoCountAboveItsLimit(noun: String) throws {
        var run = JudgedRun()
        for begin in 0..<8 { try run.connect(at: begin) }
        run.stall(0, 10_000, 10_000)
        #expect(try run.verdict("at most 2 \(noun)") == .fail)
    }

    /// What is missing makes no pass, and takes no failure away that was seen.
    @Test(arguments: [
        ("at most 2 connections", Verdict.fail), ("at most 9 connections", .inconclusive),
        ("leaves no connection open", .inconclusive),
        ("completes within 30 s", .pass),
    ])
    func passesNothingWhereTheRecordingHasStopped(text: String, verdict: Verdict) throws {
        var run = JudgedRun()
        for begin in 0..<8 { try run.connect(at: begin, answers: [begin + 50]) }
        run.record.shortfall = .recordingStopped("No space left on device")
        let judgement = try run.judge(text)
        #expect(judgement.verdict == verdict, "\(judgement)")
        #expect(
            verdict != .inconclusive || judgement.finding.hasSuffix("recorded: No space left on device"),
            "\(judgement)"
        )
    }

    @Test func doubtsNoWaitsOfAShortTime() throws {
        var run = JudgedRun()
        run.record.end = JudgedRun.at(500)
        for begin in 0..<6 { try run.connect(at: begin * 80, isAccepted: false) }
        run.stall(0, 400, 250)
        #expect(try run.verdict("attempts back off") == .fail)
        run.stall(400, 500, 90)
        #expect(try run.verdict("attempts back off") == .inconclusive)
    }

    @Test func doubtsAPassIfPacketsAreMissing() throws {
        var run = JudgedRun()
        try run.connect(at: 0)
        run.traffic.link.missing = 3
        #expect(try run.verdict("at most 1 connection attempt") == .inconclusive)
        #expect(try run.verdict("at most 0 connection attempts") == .fail)
        #expect(try run.verdict("completes within 10 s") == .pass)
        run.traffic.link.missingReason = "No space left on device"
        let finding = try run.judge("at most 1 connection attempt").finding
        #expect(finding.hasSuffix("3 packets could not be captured: No space left on device"), "\(finding)")
    }

    /// The answer, or the client's FIN, may be among them.
    @Test(arguments: ["first byte within 5 s", "closes within 1 s of 'left'", "times out within 1 s of 'left'"])
    func doubtsAFailureToDoSomethingIfPacketsAreMissing(_ text: String) throws {
        var run = JudgedRun()
        try run.connect(at: 0, closed: 9000)
        run.label("left", 1000, 10_000, .mark)
        #expect(try run.verdict(text) == .fail)
        run.traffic.link.missing = 3
        #expect(try run.verdict(text) == .inconclusive)
    }

    @Test(arguments: [RunRecord.Shortfall.eventsMissing, .interrupted, .damaged, .captureChanged, .recordingEnded])
    func passesNothingThatItCouldNotSee(shortfall: RunRecord.Shortfall) throws {
        var run = JudgedRun()
        run.record.shortfall = shortfall
        try run.connect(at: 100, answers: [200], closed: 300)
        for text in [
            "at most 3 connections", "leaves no connection open", "sends no request twice", "first byte within 1 s",
        ] {
            #expect(try run.verdict(text) == .inconclusive, "\(text)")
        }
        // The end of the command is known.
        #expect(try run.verdict("completes within 30 s") == .pass)
        #expect(try run.verdict("exits with 0") == .pass)
        #expect(try run.verdict("exits with 1") == .fail)
        // What was seen is enough.
        #expect(try run.verdict("at most 0 connections") == .fail)
        #expect(try run.verdict("first byte within 10 ms") == .inconclusive)
    }

    /// What a process of the network lost, the client is not blamed for, nor praised.
    @Test(arguments: [RunEvent.ForwarderState.ended, .stopped])
    func judgesNothingByWhatFollowedTheLossOfAProcess(state: RunEvent.ForwarderState) throws {
        var run = JudgedRun()
        run.label("early", 0, 2000, .mark)
        run.label("late", 2000, 10_000, .mark)
        try run.connect(at: 100, answers: [200], closed: 300)
        try run.connect(at: 3000)
        let role = "lc-gateway, which carries the uplink,"
        run.record.lostForwarders = [RunRecord.LostForwarder(time: JudgedRun.at(2500), role: role, state: state)]
        for text in [
            "at most 3 connections", "first byte within 1 s of 'late'", "leaves no connection open", "exits with 1",
        ] {
            let judgement = try run.judge(text)
            #expect(judgement.verdict == .inconclusive, "\(judgement)")
            let words = state == .ended ? "ended" : "was stopped"
            #expect(judgement.finding.hasSuffix("; but \(role) \(words) 2.5 s after the start"), "\(judgement)")
        }
        // What was before it stays so, and so does what the command did.
        #expect(try run.verdict("at most 3 connections during 'early'") == .pass)
        #expect(try run.verdict("at most 0 connections") == .fail)
        #expect(try run.verdict("exits with 0") == .pass)
    }

    /// A client may change the conditions by the control socket; a verdict says so.
    @Test func namesTheConditionsThatAClientSet() throws {
        var run = JudgedRun()
        run.label("early", 0, 2000, .mark)
        try run.connect(at: 100, answers: [200], closed: 300)
        run.record.changes = (0..<5).map {
            RunRecord.Change(JudgedRun.at(2500 + 100 * $0), "No Net", by: $0 == 0 ? "python3 (7)" : nil)
        }
        let finding = try run.judge("first byte within 1 s").finding
        #expect(finding.contains("; python3 (7) set the conditions to No Net after 2.5 s, a client"), "\(finding)")
        #expect(finding.hasSuffix(", 2 more changes followed"), "\(finding)")
        #expect(try !run.judge("first byte within 1 s of 'early'").finding.contains("No Net"))
    }

    /// The mark that would have ended the time may be missing.
    @Test func failsNothingByATimeWhoseEndItCouldNotSee() throws {
        var run = JudgedRun()
        run.label("typing", 0, 10_000, .mark)
        try run.connect(at: 9000)
        #expect(try run.verdict("at most 0 connections during 'typing'") == .fail)
        run.record.shortfall = .eventsMissing
        #expect(try run.verdict("at most 0 connections during 'typing'") == .inconclusive)
    }

    @Test func takesTheWorstOfALabelThatBeganTwice() throws {
        var run = JudgedRun()
        try run.connect(at: 0, closed: 1500)
        try run.connect(at: 4000, closed: 9000)
        run.label("left", 1000, 5000, .mark)
        #expect(try run.verdict("closes within 1 s of 'left'") == .pass)
        run.label("left", 5000, 10_000, .mark)
        #expect(try run.verdict("closes within 1 s of 'left'") == .fail)
    }

    @Test func givesNoVerdictOnPacketsInTheWrongOrder() throws {
        var run = JudgedRun()
        try run.connect(at: 100)
        #expect(try run.judge("at most 0 retransmissions").verdict == .pass)
        run.traffic.link.disordered = 1
        let judgement = try run.judge("at most 0 retransmissions")
        #expect(judgement.verdict == .inconclusive)
        #expect(judgement.finding.contains("1 packet in the wrong order"))
    }
}
