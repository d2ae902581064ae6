// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// A test is judged by the connections of its own process that began in it.
struct PartScopeTests {
    /// A worker (20) below what has started the workers (10), in a part from 5 s to 9 s.
    private func part() -> JudgedRun {
        var run = JudgedRun()
        run.record.limit(to: JudgedRun.at(5000), JudgedRun.at(9000))
        run.record.scope = PartScope(process: 20)
        run.record.scope.ancestors = [10]
        return run
    }

    private static let child = SocketHolder(25, below: [20, 10])
    private static let otherWorker = SocketHolder(30, below: [10])
    private static let ownDaemon = SocketHolder(40, below: [], mark: 20)
    private static let otherDaemon = SocketHolder(41, below: [], mark: 30)
    private static let orphan = SocketHolder(42, below: [])

    /// Adds a connection that a process holds, and that stays open if the process is known.
    private func connect(_ run: inout JudgedRun, at begin: Int, by holder: SocketHolder?) throws {
        let socket = SocketEnds(of: run.traffic.connections[try run.connect(at: begin)])
        guard let holder else { return }
        let name = "python3 (\(holder.process))"
        run.record.owners.append(
            RunRecord.Owner(time: JudgedRun.at(begin + 30), socket: socket, name: name, holder: holder)
        )
        run.record.openAtEnd.append(RunRecord.OpenSocket(socket, owner: name, holder: holder, inode: 77))
    }

    @Test(arguments: [
        (SocketHolder(20, below: [10]), Verdict.fail), (child, .fail), (ownDaemon, .fail), (orphan, .fail),
        (otherWorker, .pass), (otherDaemon, .pass), (SocketHolder(10, below: []), .pass),
        (SocketHolder(31, below: [30, 10]), .pass),
    ])
    func tellsProcessesApart(holder: SocketHolder, verdict: Verdict) throws {
        var run = part()
        try connect(&run, at: 6000, by: holder)
        for text in ["leaves no connection open", "at most 0 connections", "at most 0 connection attempts"] {
            #expect(try run.verdict(text) == verdict, "\(text)")
        }
        run.record.scope.process = nil
        #expect(try run.verdict("leaves no connection open") == .fail)
    }

    @Test func namesWhatIsLeftOpen() throws {
        var run = part()
        for time in 0..<10 { try connect(&run, at: 6000 + time, by: Self.child) }
        let judgement = try run.judge("leaves no connection open")
        #expect(
            judgement.finding.hasPrefix(
                "10 connections left open: 10.0.0.1:40000 to 192.0.2.7:80, held by python3 (25); "
            )
        )
        #expect(judgement.finding.hasSuffix("; and 2 more") && judgement.packets.count == 10, "\(judgement)")
    }

    /// The process goes on after the test: ending it is no remedy.
    @Test(arguments: [
        (SocketHolder(20, below: [10]), "closing the client in the test"), (child, "ending the processes"),
    ])
    func namesTheRemedyForTheHolder(holder: SocketHolder, remedy: String) throws {
        var run = part()
        try connect(&run, at: 6000, by: holder)
        #expect(try run.judge("leaves no connection open").remedy?.hasPrefix(remedy) == true)
    }

    /// A marker of pytest changes them through the control socket, as part of the test.
    @Test func listsNoConditionsThatTheTestItselfSet() throws {
        var run = part()
        try connect(&run, at: 6000, by: Self.child)
        run.record.changes = [
            RunRecord.Change(JudgedRun.at(5500), "Slow Net", by: "pytest (20)"),
            RunRecord.Change(JudgedRun.at(6500), "3G", by: "python3 (25)"),
        ]
        let finding = try run.judge("at most 0 connections").finding
        #expect(!finding.contains("Slow Net"), "\(finding)")
        #expect(finding.contains("; python3 (25) set the conditions to 3G"), "\(finding)")
    }

    /// No look has found who had it: it may be of the process that is known to have used the link meanwhile.
    @Test func isInDoubtWhereAnotherProcessMayHaveConnected() throws {
        var run = part()
        try connect(&run, at: 6000, by: nil)
        #expect(try run.verdict("at most 0 connections") == .fail)
        try connect(&run, at: 6100, by: Self.otherWorker)
        let judgement = try run.judge("at most 0 connections")
        #expect(judgement.verdict == .inconclusive, "\(judgement)")
        #expect(judgement.finding.hasSuffix("the process of 1 connection is not known"), "\(judgement)")
        #expect(try run.verdict("at most 1 connection") == .pass)
        try connect(&run, at: 6200, by: Self.child)
        #expect(try run.verdict("at most 0 connections") == .fail)
    }

    /// One of them may have made a connection that was too short for a look: a client must not fail for that. What passes does.
    @Test func failsForNothingThatAnotherProcessMayHaveDone() throws {
        var run = part()
        run.record.scope.hasOthers = true
        try connect(&run, at: 6000, by: nil)
        let judgement = try run.judge("at most 0 connections")
        #expect(judgement.verdict == .inconclusive, "\(judgement)")
        let words = "; but other processes ran beside it, and the process of 1 connection is not known"
        #expect(judgement.finding.hasSuffix(words), "\(judgement)")
        #expect(try run.verdict("at most 1 connection") == .pass)
        try connect(&run, at: 6100, by: Self.child)
        #expect(try run.verdict("at most 0 connections") == .fail)
        #expect(try run.verdict("at most 1 connection") == .inconclusive)
    }

    /// What is open at the end is looked up then, if no look has found its process before.
    @Test(arguments: [(child, Verdict.fail), (otherWorker, .pass)])
    func knowsTheProcessOfWhatIsOpenAtTheEnd(holder: SocketHolder, verdict: Verdict) throws {
        var run = part()
        run.record.scope.hasOthers = true
        try connect(&run, at: 6000, by: holder)
        run.record.owners = []
        #expect(try run.verdict("leaves no connection open") == verdict)
        let judgement = try run.judge("at most 0 connections")
        #expect(judgement.verdict == verdict, "\(judgement)")
        #expect(judgement.finding.contains(", by python3 (25)") == (verdict == .fail), "\(judgement)")
    }

    /// What another worker had before says nothing of the part.
    @Test func isInNoDoubtForWhatOthersDidBefore() throws {
        var run = part()
        try connect(&run, at: 1000, by: Self.otherWorker)
        try connect(&run, at: 6000, by: nil)
        #expect(try run.verdict("at most 0 connections") == .fail)
    }

    @Test func hasWhatItsFixturesOpened() throws {
        var run = part()
        try connect(&run, at: 4500, by: Self.child)
        #expect(try run.verdict("leaves no connection open") == .pass)
        run.record.scope.since = JudgedRun.at(4000)
        #expect(try run.verdict("leaves no connection open") == .fail)
        #expect(try run.verdict("at most 0 connection attempts") == .pass)
    }

    @Test func countsUntilTheTestFunctionEnds() throws {
        var run = part()
        try connect(&run, at: 8000, by: Self.child)
        run.record.scope.until = JudgedRun.at(7000)
        for text in ["at most 0 connections", "at most 0 connection attempts", "at most 0 connections at a time"] {
            #expect(try run.verdict(text) == .pass, "\(text)")
        }
        #expect(try run.verdict("leaves no connection open") == .fail)
        #expect(try run.verdict("completes within 2 s") == .pass)
    }

    @Test func leavesWhatSeveralTestsShareToThem() throws {
        var run = part()
        try connect(&run, at: 6000, by: Self.child)
        run.record.scope.shared = [JudgedRun.at(5900)...JudgedRun.at(6100)]
        #expect(try run.verdict("leaves no connection open") == .pass)
        run.record.scope.shared = []
        run.record.scope.sharedSockets = [77]
        #expect(try run.verdict("leaves no connection open") == .pass)
        run.record.scope.sharedSockets = [78]
        #expect(try run.verdict("leaves no connection open") == .fail)
    }

    @Test func readsAScope() throws {
        var scope = PartScope(process: 20)
        #expect(PartScope(json: scope.json) == scope)
        (scope.since, scope.until) = (JudgedRun.at(1), JudgedRun.at(2))
        scope.shared = [JudgedRun.at(3)...JudgedRun.at(4)]
        scope.sharedSockets = [5, 6]
        #expect(PartScope(json: scope.json) == scope)
        for text in [#"{"proces": 1}"#, #"{"process": "x"}"#, #"{"shared": [[2, 1]]}"#, #"{"shared": [[1]]}"#] {
            #expect(PartScope(json: try JSON(utf8: Array(text.utf8))) == nil, "\(text)")
        }
    }
}
