// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reports

/// The page of a measured link.
@Suite struct VerificationPageTests {
    private static func report(_ name: String, delays: [Double], rates: [Double]) -> VerificationReport {
        let row = VerificationReport.Row(
            "delay p50",
            asked: "5 ms",
            modelled: "5.57 ms",
            measured: "5.61 ms",
            range: "5.37 ms to 5.77 ms",
            verdict: "pass"
        )
        let part = VerificationReport.Part(
            name,
            direction: "downlink",
            [row],
            delays: .init(measured: delays, modelled: delays.map { $0 - 0.1 }),
            rates: .init(measured: rates, modelled: rates)
        )
        return VerificationReport(
            profile: name,
            verdict: "pass",
            sentences: ["pass: 1 figure of 1 is as the model says", "This machine is quiet."],
            parts: [part],
            repetition: ["linkcond", "verify", name],
            version: "0"
        )
    }

    /// Whatever the values, names are no markup, and every number in a drawing is one.
    @Test(arguments: [
        ([5.6, 5.7, 5.6, 9], [1e6, 1.1e6, 0.9e6]), ([0, 0, 0], [0, 0]), ([], []), ([280], [1e9]),
        ([0.001, 60_000], [1, 1e12]),
    ])
    func drawsAnyValues(delays: [Double], rates: [Double]) throws {
        let text = VerificationPage(Self.report("<DSL>", delays: delays, rates: rates)).text
        #expect(text.contains("<h1>&lt;DSL&gt;</h1>") && !text.contains("<DSL>"))
        #expect(text.contains("<th scope=\"row\">delay p50</th><td class=\"figure\">5 ms</td>"))
        let paths = text.matches(of: #/ d="([^"]*)"/#).map(\.1)
        let drawings = (delays.isEmpty ? 0 : 1) + (rates.count > 1 && rates.contains { $0 > 0 } ? 1 : 0)
        #expect(paths.count == 2 * drawings)
        for path in paths {
            let numbers = path.split { " LM".contains($0) }
            #expect(numbers.count >= 4 && numbers.allSatisfy { (-1...1_001).contains(Double($0) ?? -9) }, "\(path)")
        }
    }

    /// The half of the packets stands at half of the height.
    @Test func drawsTheDistribution() throws {
        let delays = (0...1_000).map { 10 + Double($0) / 100 }
        let text = VerificationPage(Self.report("Even", delays: delays, rates: [])).text
        let path = try #require(text.firstMatch(of: /class="high median downlink" d="([^"]*)"/)).1
        let points = path.dropFirst().split(separator: "L").compactMap { point -> (Double, Double)? in
            let numbers = point.split(separator: " ").compactMap { Double($0) }
            return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
        }
        let middle = try #require(points.first { abs($0.0 - 505) < 6 })
        #expect(abs(middle.1 - (8 + 138 / 2)) < 3, "\(middle)")
    }

    /// One packet that comes a second late does not press all others against the edge.
    @Test func drawsNoOutlier() throws {
        let delays = (0..<100).map { 10 + Double($0) / 100 } + [1_000]
        let text = VerificationPage(Self.report("Late", delays: delays, rates: [])).text
        #expect(text.contains("1 packet took longer, at most 1 s"))
        let path = try #require(text.firstMatch(of: /class="high median downlink" d="([^"]*)"/)).1
        let places = path.matches(of: #/L([0-9.]+) /#).compactMap { Double($0.1) }
        #expect(places.contains { (400...600).contains($0) }, "\(path)")
    }

    @Test(arguments: [0.05, 1, 20, 136, 280, 999, 1_360, 20_000])
    func tellsTheTicksOfAConstantDelayApart(delay: Double) {
        let delays = (0..<100).map { delay + Double($0) / 1_000 }
        let text = VerificationPage(Self.report("Constant", delays: delays, rates: [])).text
        let ticks = text.matches(of: #/class="tick"[^>]*>([^<]*)</#).map { String($0.1) }
        #expect(ticks.count >= 2 && Set(ticks).count == ticks.count, "\(ticks)")
        let path = text.firstMatch(of: #/class="high median downlink" d="([^"]*)"/#)?.1 ?? ""
        let places = path.matches(of: #/L([0-9.]+) /#).compactMap { Double($0.1) }.filter { $0 < 1_000 }
        // The delays take a part of the width that can be seen.
        if delay < 1_000 { #expect((places.max() ?? 0) - (places.min() ?? 0) > 15, "\(places)") }
    }

    @Test func saysTheVerdictOnce() {
        let text = VerificationPage(Self.report("DSL", delays: [5], rates: [])).text
        #expect(text.contains(">PASS</span><span>1 figure of 1 is as the model says<"))
    }
}
