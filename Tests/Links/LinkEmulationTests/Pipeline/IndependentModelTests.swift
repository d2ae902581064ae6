// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import TestKit
import Testing

/// The pipeline and the model in Scripts/fates.py, which has exact fractions and other steps, give the same fates.
@Suite struct IndependentModelTests {
    private static let script = Script("fates.py")

    private struct Link {
        let conditions: LaneConditions
        let arrivals: [LinkPipeline.Arrival]
        let seed: UInt64
        let lane: UInt64

        /// Of every copy of every packet: what became of it, when, and the bit that is flipped.
        var fates: [String] {
            var pipeline = LinkPipeline(conditions, seed: seed, lane: lane, start: LinkTime(nanoseconds: 0))
            var fates: [Departure] = []
            pipeline.simulate(arrivals) { fates.append($0) }
            return fates.sorted { ($0.tag, $0.copy) < ($1.tag, $1.copy) }.map {
                let bit = $0.corruptedBit.map { "\($0)" } ?? "-"
                return "\($0.tag).\($0.copy) \($0.drop.map { "\($0)" } ?? "sent") \($0.nanoseconds) \(bit)"
            }
        }

        /// The link in the script's words.
        var line: String {
            let figures = conditions.base
            var members = [
                "\"seed\": \(seed)", "\"lane\": \(lane)",
                "\"delay\": \(figures.delay?.nanoseconds ?? 0)",
                "\"rate\": \(figures.rate?.bitsPerSecond ?? 0)",
                "\"arrivals\": [\(arrivals.map { "[\($0.time.nanoseconds), \($0.frameBytes)]" }.joined(separator: ", "))]",
            ]
            if let jitter = figures.jitter {
                members.append(
                    """
                    "jitter": {"amount": \(jitter.amount.nanoseconds), "distribution": "\(jitter.distribution)",
                     "ordered": \(jitter.ordered)}
                    """
                )
            }
            if let share = figures.duplicate { members.append("\"duplicate\": \(share.exactPercent)") }
            if let share = figures.corrupt { members.append("\"corrupt\": \(share.exactPercent)") }
            if let reorder = figures.reorder {
                members.append(
                    "\"reorder\": {\"percent\": \(reorder.probability.exactPercent), \"gap\": \(reorder.gap)}"
                )
            }
            switch figures.loss {
            case .random(let share)?: members.append("\"loss\": {\"percent\": \(share.exactPercent)}")
            case .gilbertElliott(let chain)?:
                guard case .burst(let share, let packets) = chain.spelling else { preconditionFailure() }
                members.append("\"loss\": {\"share\": \(share.exactPercent), \"burst\": \(packets)}")
            case .fourState(let chain)?:
                let figures = [
                    ("p13", chain.p13), ("p31", chain.p31), ("p32", chain.p32), ("p23", chain.p23), ("p14", chain.p14),
                ]
                members.append(
                    "\"loss\": {\(figures.map { "\"\($0)\": \($1.exactPercent)" }.joined(separator: ", "))}"
                )
            // No link here has them.
            case .limited?: preconditionFailure()
            case nil: break
            }
            switch figures.queue {
            case .packets(let packets)?: members.append("\"packets\": \(packets)")
            case .bytes(let bytes)?: members.append("\"bytes\": \(bytes)")
            default: break
            }
            if let overhead = figures.overhead {
                let cell = overhead.cell.map { "\($0)" } ?? "null"
                members.append(
                    """
                    "overhead": {"packet": \(overhead.packet), "cell": \(cell),
                     "cellOverhead": \(overhead.cellOverhead ?? 0)}
                    """
                )
            }
            return "{\(members.joined(separator: ", "))}".replacing("\n", with: "")
        }
    }

    /// Links of the four loss models and jitters, and random ones with random packets.
    private static func links() throws -> [Link] {
        let distant = (0..<2000).map {
            LinkPipeline.Arrival(time: LinkTime(nanoseconds: $0 * 1_600_000), frameBytes: 1514)
        }
        let golden = try GoldenFateTests.conditions().map {
            Link(conditions: $0, arrivals: distant, seed: 20_120_611, lane: 2)
        }
        // Of the random links, a quarter has one rate.
        let random = try (UInt64(0)..<200).compactMap { seed -> Link? in
            let link = try RandomLink(seed, packets: 300)
            guard link.conditions.steps.isEmpty, link.conditions.base.trace == nil else { return nil }
            return Link(conditions: link.conditions, arrivals: link.arrivals, seed: seed, lane: seed % 5)
        }
        return golden + random
    }

    @Test func givesTheSameFates() throws {
        let links = try Self.links()
        let result = try CommandResult(
            of: Self.script.command(),
            input: links.map { $0.line + "\n" }.joined(),
            limit: 900
        )
        try result.requireSuccess()
        try #require(result.lines.count == links.count && links.count > 30)
        for (link, line) in zip(links, result.lines) {
            let found = link.fates
            let expected = line.split(separator: ";").map(String.init)
            guard found != expected else { continue }
            let difference = zip(found, expected).first { $0 != $1 }.map { "\($0), and not \($1)" }
            Issue.record("\(link.conditions.base): \(difference ?? "\(found.count), and not \(expected.count)")")
        }
    }
}

extension Probability {
    /// Percent as the shortest number that has this value.
    fileprivate var exactPercent: Double { fraction * 100 }
}
