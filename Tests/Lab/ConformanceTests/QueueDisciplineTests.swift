// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Statistics
import TestKit
import Testing

/// Each managed queue against the kernel's, with the same arrivals: delays, drops and marks. The kernel of the lab has no
/// dualpi2. The soak judges the means of ten runs, and medians.
@Suite(.serialized, .enabled(if: Kernel.isRoot && Kernel.isLab, "compares with a kernel that has the queues: lab only"))
struct QueueDisciplineTests {
    struct Case: CustomTestStringConvertible {
        var words: String
        var discipline: QueueManagement.Discipline
        var ecn = false
        var limit: UInt64 = 1_000
        /// The intervals between updates that the kernel may have: see below.
        var updates: [Int64] = [0]
        /// Milliseconds by which delays may differ. PIE spares a queue of two frames, of which one is already at tbf there.
        var slack = 1.5

        var testDescription: String { words }
    }

    /// PIE's timer has the resolution of a jiffy, 10 ms here, and fires one later than asked for, and late.
    static let cases = [
        Case(words: "codel limit 1000 noecn", discipline: .codel),
        Case(words: "codel limit 1000 ecn", discipline: .codel, ecn: true),
        Case(words: "fq_codel limit 1000", discipline: .fqCodel, ecn: true),
        Case(
            words: "pie limit 1000 tupdate 20ms ecn",
            discipline: .pie,
            ecn: true,
            updates: [30, 31, 32, 33],
            slack: 3.5
        ),
        Case(words: "cake unlimited besteffort flows", discipline: .cake, ecn: true, limit: 1_000_000),
    ]
    /// Twice and a half the rate from three flows, of which one allows marks; and bursts of it beside a sparse flow. Near the
    /// rate itself, moments decide when CoDel begins anew: there only many runs are alike.
    static let loads = [
        ["1.0,1514,2,poisson", "1.0,1514,0,poisson", "0.5,1514,0,poisson"],
        ["1.6,1514,2,bursts", "0.1,300,0,poisson"],
    ]
    /// The lab's rate is known no better than by windows of one of these lengths. Where they decide which packet finds the
    /// queue full, figures of one run are twice those of another.
    private static let windows = (2...10).map { Int64($0) * 10_000_000 }
    private static let runs = Extent.current == .soak ? 10 : 1
    private static let megabits = 4
    /// On a machine that held the lab up for longer, the rate in a window says little.
    private static let longestPause: Int64 = 60_000_000

    @Test(arguments: cases, loads) func areThoseOfTheKernel(each: Case, load: [String]) throws {
        var (kernel, own) = ([[Figures]](), [[[Figures]]]())
        var seed = 0
        while kernel.count < Self.runs {
            seed += 1
            // A busy machine says nothing.
            guard seed <= 3 * Self.runs + 3 else { try endInconclusively("the machine was never still") }
            let traffic = try QueueTraffic(each.words, flows: load, megabits: Self.megabits, seconds: 6, seed: seed)
            guard traffic.late < Self.longestPause else { continue }
            kernel.append(load.indices.map { Figures(traffic.packets, flow: $0) })
            var models: [[Figures]] = []
            for update in each.updates {
                var management = QueueManagement(each.discipline)
                if update > 0 { management.update = .milliseconds(update) }
                for window in Self.windows {
                    let conditions = traffic.conditions(
                        management,
                        queue: .packets(each.limit),
                        ecn: each.ecn,
                        window: window
                    )
                    let packets = traffic.replayed(conditions, seed: UInt64(seed))
                    models.append(load.indices.map { Figures(packets, flow: $0) })
                }
            }
            own.append(models)
        }
        for flow in load.indices {
            // In one run, the moment at which a queue begins anew moves a median by a third, and marks by a seventh.
            for (name, value, isDelay) in Figures.all where Self.runs > 1 || name != Figures.middle {
                let expected = kernel.map { value($0[flow]) }.mean
                let found = own[0].indices.map { model in own.map { value($0[model][flow]) }.mean }
                let text = "\(each.words), flow \(flow) of \(load): \(name) \(expected), ours \(found)"
                print("queues:", text)
                // Which flow's packet is the next to be dropped is chance.
                let scatter = 2.5 * (max(expected, 4) / Double(Self.runs)).squareRoot()
                // A frame takes 3 ms.
                let slack = Self.runs == 1 ? each.slack * 2 : each.slack
                let share = Self.runs == 1 ? 0.15 : 0.1
                let reach = max(expected * share, isDelay ? slack : scatter)
                let isWithin = found.contains { $0 <= expected + reach } && found.contains { $0 >= expected - reach }
                #expect(isWithin, "\(text)")
            }
        }
    }
}

/// What a queue did to a flow.
private struct Figures {
    var median = 0.0
    var late = 0.0
    var drops = 0.0
    var marks = 0.0

    static let middle = "median ms"

    static var all: [(String, (Figures) -> Double, isDelay: Bool)] {
        [
            (middle, \.median, true), ("95 % ms", \.late, true),
            ("drops", \.drops, false), ("marks", \.marks, false),
        ]
    }

    init(_ packets: [QueueTraffic.Packet], flow: Int) {
        let own = packets.filter { $0.flow == flow }
        let delays = own.compactMap { each in each.arrival.map { Double($0.time - each.time) / 1e6 } }.sorted()
        guard !delays.isEmpty else { return }
        median = delays[delays.count / 2]
        late = delays[delays.count * 95 / 100]
        drops = Double(own.count { $0.arrival == nil })
        marks = Double(own.count { $0.ecn != 0 && $0.arrival?.ecn == 3 })
    }
}
