// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import Testing

@testable import LinkEmulation

/// The modelled TCP sender, and the throughput formulas of its documents.
@Suite struct TCPFlowTests {
    /// Packets a second, if the link drops every nth packet, or with this chance by a seed.
    private func throughput(
        _ congestion: CompetingFlows.Congestion,
        roundTrip: Double,
        oneOf: UInt64,
        seed: UInt64? = nil,
        seconds: Double = 1_000
    ) -> Double {
        var flow = TCPFlow(roundTrip: Int64(roundTrip * 1e9), packets: nil, congestion, random: seed ?? 0)
        var (now, count, delivered) = (Int64(0), UInt64(0), 0)
        func send(_ room: Int) {
            for _ in 0..<room {
                let number = flow.send(at: now)
                count += 1
                if (seed.map { SplitMix64.value(seed: $0, index: count) } ?? count) % oneOf == 0 {
                    flow.noteDrop(of: number)
                } else {
                    flow.noteDelivery(of: number, sent: now, at: now, isMarked: false)
                    delivered += 1
                }
            }
        }
        send(flow.room())
        while flow.nextEvent < Int64(seconds * 1e9) {
            now = flow.nextEvent
            send(flow.handleEvent(at: now))
        }
        return Double(delivered) / seconds
    }

    /// M. Mathis et al., 1997; RFC 9438, equation 5, with Reno's where that is more (section 4.3).
    private func formulas(roundTrip: Double, oneOf: UInt64) -> (reno: Double, cubic: Double) {
        let loss = 1 / Double(oneOf)
        let reno = (1.5 / loss).squareRoot() / roundTrip
        return (reno, max(reno, pow(0.4 * 3.7 / 1.2, 0.25) * pow(roundTrip / loss, 0.75) / roundTrip))
    }

    /// What a flow of Linux 6.18 sends if every nth packet is lost, as a part of what the formulas say: by
    /// `scripts/check/competing formulas`. Windows of whole packets make CUBIC faster than its formula where they are small
    /// and the round trip is long; a recovery takes Reno and CUBIC a round trip, of which the formulas know nothing.
    private static let linux: [(CompetingFlows.Congestion, roundTrip: Double, oneOf: UInt64, part: Double)] = [
        (.reno, 0.02, 100, 0.874), (.reno, 0.02, 1_000, 0.951), (.reno, 0.1, 100, 0.867),
        (.reno, 0.1, 1_000, 0.959), (.reno, 0.2, 100, 0.875), (.reno, 0.2, 1_000, 0.962),
        (.cubic, 0.02, 100, 0.832), (.cubic, 0.02, 1_000, 0.929), (.cubic, 0.1, 100, 0.894),
        (.cubic, 0.1, 1_000, 1.181), (.cubic, 0.2, 100, 1.212), (.cubic, 0.2, 1_000, 1.235),
    ]

    @Test(arguments: linux) func sendsAsMuchAsLinux(
        congestion: CompetingFlows.Congestion,
        roundTrip: Double,
        oneOf: UInt64,
        part: Double
    ) {
        let said = formulas(roundTrip: roundTrip, oneOf: oneOf)
        let measured = throughput(congestion, roundTrip: roundTrip, oneOf: oneOf)
        let found = measured / (congestion == .reno ? said.reno : said.cubic)
        #expect((0.92...1.08).contains(found / part), "\(congestion): \(found)")
    }

    @Test(arguments: [0.02, 0.1, 0.2])
    func sendsWhatTheFormulasSayOfARandomLossOfOnePercent(roundTrip: Double) {
        let said = formulas(roundTrip: roundTrip, oneOf: 100)
        for (congestion, rate) in [(CompetingFlows.Congestion.reno, said.reno), (.cubic, said.cubic)] {
            let measured = (1...3 as ClosedRange<UInt64>).map {
                throughput(congestion, roundTrip: roundTrip, oneOf: 100, seed: $0) / rate / 3
            }.reduce(0, +)
            #expect((0.85...1.15).contains(measured), "\(congestion): \(measured)")
        }
    }

    @Test func sendsAllPacketsOfAShortFlow() {
        var flow = TCPFlow(roundTrip: 10_000_000, packets: 100, .cubic)
        var (now, sent, arrived) = (Int64(0), 0, 0)
        func send(_ room: Int) {
            for _ in 0..<room {
                let number = flow.send(at: now)
                sent += 1
                if sent % 10 == 3 {
                    flow.noteDrop(of: number)
                } else {
                    arrived += 1
                    flow.noteDelivery(of: number, sent: now, at: now, isMarked: false)
                }
            }
        }
        send(flow.room())
        while !flow.isDone, flow.nextEvent < .max {
            now = flow.nextEvent
            send(flow.handleEvent(at: now))
        }
        #expect(flow.isDone && arrived == 100 && sent > 100)
    }

    /// The receiver does not know of a packet that the queue has just dropped until a later one comes.
    @Test func isAcknowledgedInPairsUntilALossIsSeen() {
        var flow = TCPFlow(roundTrip: 10_000_000, packets: nil, .cubic)
        for _ in 0..<6 { _ = flow.send(at: 0) }
        flow.noteDrop(of: 4)
        flow.noteDelivery(of: 0, sent: 0, at: 1_000_000, isMarked: false)
        #expect(flow.nextEvent > 40_000_000)
        for number in 1..<4 as Range<UInt64> { flow.noteDelivery(of: number, sent: 0, at: 1_000_000, isMarked: false) }
        while flow.nextEvent < 40_000_000 { _ = flow.handleEvent(at: flow.nextEvent) }
        flow.noteDelivery(of: 5, sent: 0, at: 20_000_000, isMarked: false)
        #expect(flow.nextEvent < 40_000_000)
    }

    /// Two flows fill the queue of a link with pairs of packets. One whose packets always come just before the link has sent
    /// one would lose more: its hosts take a random time.
    @Test func doesNotKeepAPhase() {
        var flow = TCPFlow(roundTrip: 10_000_000, packets: nil, .cubic, random: 7)
        var phases: Set<Int64> = []
        for index in 0..<20 as Range<Int64> {
            let number = flow.send(at: index * 20_000_000)
            flow.noteDelivery(of: number, sent: index * 20_000_000, at: index * 20_000_000, isMarked: true)
            phases.insert(flow.nextEvent % 1_000_000)
            _ = flow.handleEvent(at: flow.nextEvent)
        }
        #expect(phases.count == 20 && phases.contains { $0 < 60_000 } && phases.contains { $0 > 100_000 })
    }

    @Test func findsCubeRoots() {
        for value in [0.0, 1e-6, 0.5, 1, 27, 1e6] {
            #expect(abs(CubicGrowth.cubeRoot(value) - cbrt(value)) <= 1e-9 * max(cbrt(value), 1))
        }
    }
}
