// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// A run written by hand: connections to one server and what happened around them. Times are in milliseconds from the
/// command's start.
struct JudgedRun {
    var traffic = ObservedTraffic()
    var record = RunRecord(begin: at(0), end: at(10_000), outcome: .exited(0))
    private var number = 0

    static func at(_ milliseconds: Int) -> Instant {
        Instant(nanoseconds: 1_000_000_000_000 + Int64(milliseconds) * 1_000_000)
    }

    mutating func packet(_ sent: Int, lost: Bool = false) -> ObservedPacket {
        number += 1
        return ObservedPacket(number: number, sent: Self.at(sent), delivered: lost ? nil : Self.at(sent + 20))
    }

    /// Adds a connection.
    ///
    /// - Parameters:
    ///   - answers: when answers arrived; none if it was never accepted.
    ///   - closed: when the client sent FIN.
    @discardableResult
    mutating func connect(
        at begin: Int,
        to address: String = "192.0.2.7",
        port: UInt16 = 80,
        isAccepted: Bool = true,
        answers: [Int] = [],
        closed: Int? = nil
    ) throws -> Int {
        let client = Endpoint(try #require(IPAddress("10.0.0.1")), UInt16(40_000 + traffic.connections.count))
        let server = Endpoint(try #require(IPAddress(address)), port)
        var connection = Connection(.tcp, client: client, server: server, attempts: [packet(begin, lost: !isAccepted)])
        connection.clientPackets = connection.attempts
        if isAccepted {
            connection.accepted = packet(begin + 20)
            connection.answers = answers.map { packet($0 - 20) }
        }
        if let closed { connection.endings = [Connection.Ending(.finish, by: .client, packet(closed))] }
        traffic.connections.append(connection)
        return traffic.connections.count - 1
    }

    mutating func label(_ name: String, _ begin: Int, _ end: Int, _ kind: RunRecord.Label.Kind = .step) {
        record.labels.append(RunRecord.Label(name, kind, from: Self.at(begin), to: Self.at(end)))
    }

    mutating func stall(_ begin: Int, _ end: Int, _ waited: Int) {
        record.stalls.append(
            RunRecord.Stall(from: Self.at(begin), to: Self.at(end), waited: .milliseconds(waited))
        )
    }

    func judge(_ text: String) throws -> Judgement {
        ClientJudge(JudgedTraffic(traffic, of: record), record).judge(try ClientExpectation(parsing: text))
    }

    func verdict(_ text: String) throws -> Verdict { try judge(text).verdict }
}
