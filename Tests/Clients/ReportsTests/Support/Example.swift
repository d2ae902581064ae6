// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import InternetAddresses
import LinkProfiles

@testable import Reports

/// A small run, every time of which is known: 10 s, a step at 4 s and a mark at 6 s.
enum Example {
    static let begin: Int64 = 1_700_000_000_000_000_000

    static func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: begin + Int64(seconds * 1e9)) }

    static func packet(_ number: Int, _ sent: Double, _ delivered: Double? = nil) -> ObservedPacket {
        ObservedPacket(number: number, sent: instant(sent), delivered: delivered.map(instant))
    }

    static var record: RunRecord {
        var record = RunRecord(begin: instant(0), end: instant(10), outcome: .exited(0))
        var step = RunRecord.Label("in the lift", .step, from: instant(4), to: instant(10))
        step.profile = "Black Hole"
        record.labels = [step, RunRecord.Label("left", .mark, from: instant(6), to: instant(10))]
        return record
    }

    /// A connection that is asked for at 1 s, accepted at 1.5 s, answered at 2 s and closed by the client at 7 s.
    static func connection(port: UInt16 = 40000, name: String? = "api.test") -> Connection {
        var connection = Connection(.tcp, client: endpoint(1, port), server: endpoint(2, 80))
        connection.serverName = name
        connection.attempts = [packet(1, 1)]
        connection.accepted = packet(2, 1.25, 1.5)
        connection.clientPackets = [packet(1, 1), packet(3, 1.5, 1.7), packet(6, 7, 7.2)]
        connection.answers = [packet(4, 1.8, 2), packet(5, 2.2, 2.4)]
        connection.retransmissions = [Retransmission(by: .client, packet(7, 5), isOpening: false)]
        connection.endings = [Connection.Ending(.finish, by: .client, packet(6, 7, 7.2))]
        connection.bytes = SideCounts(client: 1200, server: 34_000)
        return connection
    }

    static func endpoint(_ last: UInt8, _ port: UInt16) -> Endpoint {
        // swift-format-ignore: NeverForceUnwrap
        Endpoint(IPAddress("10.0.0.\(last)")!, port)
    }

    static func timeline(_ connections: [Connection] = [connection()]) -> RunTimeline {
        var traffic = ObservedTraffic()
        traffic.connections = connections
        return RunTimeline(
            traffic,
            record,
            initial: "Slow Net",
            asked: ["Slow Net": AskedFigures(uplink: .init(rate: AskedFigure(BitRate(bitsPerSecond: 100_000))))]
        )
    }

    static func report(
        profile: String = "Slow Net",
        results: [RunReport.Result] = [],
        outcome: CommandEnd = .exited(0)
    ) -> RunReport {
        let context = RunReport.Context(
            command: ["curl", "http://api.test/?q=a b"],
            profile: profile,
            scenario: nil,
            seed: 7,
            engine: "userspace",
            serverCongestion: "cubic",
            kernel: "6.6.0",
            version: "0.1.0",
            repetition: ["linkcond", "run", profile, "--seed", "7", "--", "curl", "http://api.test/?q=a b"]
        )
        var report = RunReport(
            context,
            outcome,
            begin: begin,
            duration: .seconds(10),
            results: results,
            totals: RunReport.Totals()
        )
        report.timeline = timeline()
        return report
    }

    static func result(_ expectation: String, _ verdict: Verdict, _ finding: String) -> RunReport.Result {
        RunReport.Result(
            expectation: expectation,
            verdict: verdict,
            finding: finding,
            packets: [3, 5],
            remedy: "a cap"
        )
    }

    /// A report on runs, each on a network of its own.
    static func trials(_ trials: [TrialsReport.Trial], repetitions: Int = 1) -> TrialsReport {
        let names = stride(from: 0, to: trials.count, by: repetitions).map { trials[$0].name }
        let networks = names.enumerated().map { number, name in
            TrialList.Network(name: name, directory: "network-\(number)", digest: "\(number)")
        }
        let list = TrialList(networks, repetitions: repetitions, seed: 7)
        let context = TrialsReport.Context(title: "Matrix", command: ["a"], repetition: ["b"], version: "0", list: list)
        return TrialsReport(
            context,
            trials.enumerated().map { index, trial in
                var trial = trial
                trial.index = index
                return trial
            }
        )
    }

    static func junit(_ report: TrialsReport) -> String {
        var text = ""
        let runs = report.trials.lazy.map { TrialText($0, strict: report.context.isStrict) }
        JUnitFile.write(runs, report.coverage) { text += $0 }
        return text
    }
}
