// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

extension KnownRun {
    /// Expectations of this run, with limits on either side of what is true.
    func expectations(using generator: inout SeededGenerator) -> [ClientExpectation] {
        var expectations: [ClientExpectation] = [.leavesNoConnectionOpen, .sendsNoRequestTwice, .exits(with: 0)]
        expectations.append(.completes(within: .nanoseconds(plan.length + generator.pick([-.ms(300), .ms(300)]))))
        let peers = client.connections.map { Peer("\(KnownEvents.address($0.ends.host))", port: $0.ends.serverPort) }
        for peer in Set(peers) where retriedJob(to: peer) != nil { expectations.append(.attemptsBackOff(to: peer)) }
        for _ in 0..<16 {
            let label = generator.isOne(in: 3) ? nil : labels.isEmpty ? nil : generator.pick(labels).name
            let peer = generator.isOne(in: 4) && !peers.isEmpty ? generator.pick(peers) : nil
            let limit = Duration.nanoseconds(generator.time(1...generator.pick([100, 600, 2000, 6000])))
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: expectations.append(.firstByte(within: limit, of: label, to: peer))
            case 1..<3: if let label { expectations.append(.recovers(within: limit, of: label, to: peer)) }
            case 3..<5: if let label { expectations.append(.closes(within: limit, of: label, to: peer)) }
            case 5..<7: if let label { expectations.append(.timesOut(within: limit, of: label, to: peer)) }
            default:
                var what = generator.pick(ClientExpectation.Countable.allCases)
                if peer != nil, what == .dnsQueries || what == .bytes { what = .connections }
                let figures = parts(of: label).map { figure(what, connections(to: peer), peer, $0).exact }
                let maximum = Int(figures.max() ?? 0)
                let limit = max(
                    maximum + generator.pick([-1, 0, 0, 1]) * (what == .bytes ? generator.pick([1, 2000]) : 1),
                    0
                )
                expectations.append(.atMost(limit, what, to: peer, during: label))
            }
        }
        return expectations
    }

    /// The client's deeds, a line for each.
    var deeds: String {
        func ms(_ time: Int64) -> String { "\((time - begin) / 1_000) us" }
        var lines = ["length \(plan.length / 1_000_000) ms, \(plan.outcome), hidden: \(plan.hidden)"]
        lines.append("damaged bytes: \(network.link.damagedBytes)")
        lines += labels.map { "'\($0.name)' \(ms($0.begin)) to \(ms($0.end))" }
        lines += client.connections.map { connection in
            "\(connection.ends.clientPort) to .\(connection.ends.host):\(connection.ends.serverPort)"
                + " of \(connection.process), opened \(ms(connection.opened))"
                + (connection.accepted.map { ", accepted \(ms($0))" } ?? "")
                + ", let go \(connection.letGo.map(ms) ?? "never")\(connection.isTold ? "" : " in secret")"
                + ", answers \(connection.arrivals.prefix(4).map(ms)) of \(connection.arrivals.count)"
                + (connection.isHTTP ? "" : ", not HTTP")
        }
        lines += client.requests.map { request in
            "request \(request.job)/\(request.number) on \(client.connections[request.connection].ends.clientPort)"
                + " at \(ms(request.time))" + (request.repeats ? ", repeated" : "")
        }
        return lines.joined(separator: "\n")
    }
}
