// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import InternetAddresses

@testable import Reports

/// A run of 100 s with many connections: of each ten, seven are answered and closed by a packet, one is closed before a
/// packet tells, one is given up, and one is open at the end or ends silently. The ports of the client are used again.
struct CrowdedRun {
    var traffic = ObservedTraffic()
    var record = RunRecord(begin: Example.instant(0), end: Example.instant(100), outcome: .exited(0))
    private var packets = 0

    init(_ count: Int) {
        record.labels = [RunRecord.Label("dark", .step, from: Example.instant(50), to: Example.instant(100))]
        record.samplingPeriod = .milliseconds(25)
        for number in 0..<count { add(number, at: 100 * Double(number) / Double(count)) }
        traffic.link.packets = packets
    }

    private mutating func packet(_ sent: Double) -> ObservedPacket {
        packets += 1
        return Example.packet(packets, sent, sent + 0.001)
    }

    private mutating func add(_ number: Int, at begin: Double) {
        let client = Example.endpoint(UInt8(10 + number % 16), UInt16(20_000 + number / 16 % 2000))
        var connection = Connection(.tcp, client: client, server: Example.endpoint(2, UInt16(80 + number % 3)))
        connection.attempts = [packet(begin)]
        connection.clientPackets = connection.attempts
        connection.owners = ["client (\(number))"]
        connection.retransmissions = [Retransmission(by: .client, packet(begin + 0.02), isOpening: false)]
        if number % 10 != 8 {
            connection.accepted = packet(begin + 0.002)
            connection.answers = [packet(begin + 0.004), packet(begin + 0.006)]
        }
        if number % 10 < 7 {
            connection.endings = [Connection.Ending(.finish, by: .client, packet(begin + 0.03))]
        }
        switch number % 10 {
        case 7: note(.closed, connection, begin)
        case 8: note(.asked, connection, begin)
        case 9 where number % 100 == 9:
            let open = RunRecord.OpenSocket(SocketEnds(client, connection.server), owner: connection.owners[0])
            record.openAtEnd.append(open)
        default: break
        }
        traffic.connections.append(connection)
    }

    private mutating func note(_ kind: RunRecord.SocketChange.Kind, _ connection: Connection, _ begin: Double) {
        record.socketChanges.append(
            RunRecord.SocketChange(
                kind,
                of: SocketEnds(connection.client, connection.server),
                last: Example.instant(begin + 0.01),
                gone: Example.instant(begin + 0.035)
            )
        )
    }

    /// Judges the run, and reports it.
    func report(_ expectations: [String]) throws -> RunReport {
        let judge = ClientJudge(JudgedTraffic(traffic, of: record), record)
        var report = Example.report(
            results: try expectations.map { RunReport.Result(judge.judge(try ClientExpectation(parsing: $0))) }
        )
        report.duration = .seconds(100)
        report.timeline = RunTimeline(
            traffic,
            record,
            initial: "Slow Net",
            asked: [:],
            evidence: Set(report.results.flatMap(\.packets))
        )
        return report
    }
}
