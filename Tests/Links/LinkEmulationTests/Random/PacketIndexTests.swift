// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit
import Testing

@testable import LinkEmulation

@Suite struct PacketIndexTests {
    private static let flows = (1...2).map { port in
        PacketIndex.flow(
            transport: 17,
            isIPv6: false,
            client: (0, 1),
            server: (0, 2),
            port: UInt16(port),
            number: 0
        )
    }

    /// What becomes of 300 packets of a flow, each 20 ms after the one before, with others of another flow in between.
    private func fates(of link: Impairments, others: Int = 0) -> [[String]] {
        var pipeline = LinkPipeline(LaneConditions(link), seed: 5, start: LinkTime(nanoseconds: 0))
        var arrivals: [LinkPipeline.Arrival] = []
        var own: [UInt32: Int] = [:]
        for number in 0..<300 {
            for (flow, count) in [(0, 1), (1, others)] {
                for part in 0..<count {
                    if flow == 0 { own[UInt32(arrivals.count)] = number }
                    let offset = UInt32(flow == 0 ? number : number * others + part)
                    let index = PacketIndex.packet(.count, offset, isAnswer: false, flow: Self.flows[flow])
                    let time = LinkTime(nanoseconds: Int64(number) * 20_000_000)
                    arrivals.append(.init(time: time, frameBytes: 500, index: index))
                }
            }
        }
        var fates = [[String]](repeating: [], count: 300)
        pipeline.simulate(arrivals) { departure in
            guard let number = own[departure.tag] else { return }
            let delay = departure.due.nanoseconds - Int64(number) * 20_000_000
            fates[number].append("\(delay) \(departure.copy) \(departure.corruptedBit ?? 0) \(departure.drop.name)")
        }
        return fates.map { $0.sorted() }
    }

    private static let withoutMemory: [@Sendable (inout Impairments) -> Void] = [
        { $0.loss = .random(Probability(percent: 20)) },
        { $0.duplicate = Probability(percent: 30) },
        { $0.corrupt = Probability(percent: 30) },
        {
            $0.delay = .milliseconds(5)
            $0.jitter = Jitter(amount: .milliseconds(4), ordered: false)
        },
        {
            $0.delay = .milliseconds(5)
            $0.reorder = Reorder(probability: Probability(percent: 30))
        },
    ]

    @Test(arguments: withoutMemory) func decidesForEachFlowAlone(change: @Sendable (inout Impairments) -> Void) {
        var link = Impairments()
        change(&link)
        let alone = fates(of: link)
        #expect(Set(alone).count > 1)
        #expect(fates(of: link, others: 1) == alone)
        #expect(fates(of: link, others: 3) == alone)
    }

    @Test func keepsBurstsInTheOrderOfTheLane() throws {
        var link = Impairments()
        link.loss = .gilbertElliott(GilbertElliott(p: Probability(percent: 10), r: Probability(percent: 30)))
        #expect(fates(of: link, others: 1) != fates(of: link))
        var number: UInt32 = 0
        // Two flows meet the bursts that one alone would.
        let run = Run(LaneConditions(link)).with { $0.seed = 5 }
        var pipeline = LinkPipeline(run.conditions, seed: 5, start: LinkTime(nanoseconds: 0))
        let mixed = (0..<1000).map { packet in
            number += 1
            let index = PacketIndex.packet(.count, number, isAnswer: false, flow: Self.flows[packet % 2])
            return pipeline.accept(
                arrival: LinkTime(nanoseconds: run.arrival(UInt32(packet))),
                frameBytes: 1514,
                tag: 0,
                index: index
            )
        }
        #expect(mixed.map { if case .dropped = $0 { true } else { false } } == run.losses)
    }
}
