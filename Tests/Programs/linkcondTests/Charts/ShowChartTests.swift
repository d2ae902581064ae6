// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// What `show` draws: rate and delay over time, and the distribution of a delay that varies.
@Suite struct ShowChartTests {
    private static func show(_ members: String, _ options: String..., columns: Int? = nil) throws -> CommandResult {
        try Program.start(
            [Program.path, "show", "-"] + options,
            input: "{ \"name\": \"Test\", \(members) }",
            variables: columns.map { ["COLUMNS": "\($0)"] } ?? [:]
        )
    }

    /// The charts, each with its title.
    private static func charts(_ outcome: CommandResult) -> [String] {
        let parts = outcome.output.components(separatedBy: "\n\n").dropFirst()
        return parts.map { $0.trimmingCharacters(in: .newlines) }
    }

    private static let bar = "█"

    @Test func drawsAScheduleOverTime() throws {
        let outcome = try Self.show(
            """
            "downlink": { "rate": "8 Mbit/s", "delay": "20 ms" }, "uplink": { "delay": "1 ms" },
            "schedule": { "steps": [ { "at": "5 s", "downlink": { "rate": "4 Mbit/s", "delay": "40 ms" } } ],
              "repeat": "10 s" }
            """
        )
        #expect(outcome.status == 0, "\(outcome)")
        let (half, whole) = (String(repeating: Self.bar, count: 32), String(repeating: Self.bar, count: 65))
        #expect(
            Self.charts(outcome).first == """
                  rate, downlink, over time, repeated
                    8 Mbit/s │\(half)
                             │\(half)▆
                             │\(half)█\(String(repeating: "▄", count: 32))
                             │\(whole)
                             │\(whole)
                           0 └\(String(repeating: "─", count: 65))
                              0 s                                                          10 s
                """
        )
        let delay = try #require(Self.charts(outcome).last)
        #expect(Self.charts(outcome).count == 2 && delay.hasPrefix("  delay, downlink, over time, repeated\n"))
        #expect(
            delay.contains("    40 ms │" + String(repeating: " ", count: 34) + String(repeating: Self.bar, count: 34))
        )
        #expect(outcome.lines.allSatisfy { $0.count <= 80 && $0.last != " " }, "\(outcome.output)")
    }

    @Test func drawsWhatIsTheSameBothWaysOnce() throws {
        let figures = #"{ "delay": "50 ms", "jitter": "10 ms" }"#
        let charts = Self.charts(try Self.show(#""downlink": \#(figures), "uplink": \#(figures)"#))
        #expect(charts.count == 1 && charts[0].contains("delays of packets, both ways"), "\(charts)")
        #expect(charts[0].contains("each also waits"))
        #expect(charts[0].hasSuffix("40 ms" + String(repeating: " ", count: 64) + "60 ms"))
        // Uniform: each delay as often as another.
        #expect(charts[0].matches(of: /█{74}/).count == 5)
    }

    @Test func drawsTheShapeOfTheJitter() throws {
        let normal = #"{ "amount": "10 ms", "distribution": "normal", "ordered": false }"#
        let charts = Self.charts(try Self.show(#""uplink": { "delay": "100 ms", "jitter": \#(normal) }"#))
        #expect(charts.count == 1 && !charts[0].contains("waits"), "\(charts)")
        let rows = charts[0].split(separator: "\n").dropFirst().prefix(5).map { $0.count { "▁▂▃▄▅▆▇█".contains($0) } }
        #expect(rows == rows.sorted() && rows[0] < rows[4], "\(charts)")
        #expect(charts[0].contains("63.3 ms") && charts[0].contains("137 ms"), "\(charts)")
    }

    @Test func drawsARecording() throws {
        let directory = try TemporaryDirectory()
        // 12 Mbit/s for a second, nothing for another.
        let lines = (1...1000).map { "\($0)\n" }.joined() + "2000\n"
        try directory.write("half.down", lines)
        try directory.write(
            "trace.json",
            #"{ "name": "Half", "downlink": { "trace": { "file": "half.down", "format": "mahimahi" } } }"#
        )
        let outcome = try Program.run("show", "trace.json", directory: directory.path)
        let chart = try #require(Self.charts(outcome).first, "\(outcome)")
        #expect(chart.hasPrefix("  rate, downlink, over time, repeated\n"))
        let bottom = chart.split(separator: "\n")[5]
        let drawn = bottom.count { $0 == "█" }
        #expect((30...34).contains(drawn), "\(chart)")
        #expect(chart.hasSuffix("2 s"))
    }

    @Test func drawsNothingOfAPlainLinkNorAsJSON() throws {
        #expect(Self.charts(try Program.run("show", "3G")).isEmpty)
        let json = try Program.run("show", "Starlink", "--json").output
        #expect(!json.contains(Self.bar))
        let commands = try Program.isolated("show", "Loadero 4G", "--tc", "-i", "lo").output
        #expect(!commands.contains(Self.bar))
    }

    /// A hold is seen, and what has no limit in between is not drawn as a rate.
    @Test func tellsHoldsAndTheUnlimitedApart() throws {
        let outcome = try Self.show(
            """
            "downlink": { "delay": "1 ms" },
            "schedule": { "steps": [ { "at": "10 s", "downlink": { "rate": "1 Mbit/s" } },
              { "at": "20 s", "downlink": { "rate": "0 bit/s" } } ], "repeat": "30 s" }
            """
        )
        let chart = try #require(Self.charts(outcome).first)
        #expect(chart.contains("░ is without limit"), "\(chart)")
        let row = try #require(chart.split(separator: "\n").dropFirst().first { $0.contains("1 Mbit/s") })
        let bars = row.drop { $0 != "│" }.dropFirst()
        #expect(bars.count { $0 == "░" } == 22 && bars.count { $0 == "█" } >= 20 && bars.count <= 44, "\(chart)")
    }

    @Test(.enabled(if: PrivateWorld.isAvailable, PrivateWorld.need), arguments: [60, 120])
    func drawsAsWideAsTheTerminal(width: Int) throws {
        try PrivateWorld.check(.tester, "progress.py", "drawAsWideAsTheTerminal(\(width))")
    }

    @Test(arguments: [
        #""downlink": { "delay": "60 min", "jitter": "60 min" }"#,
        #""downlink": { "delay": "0 ms", "jitter": "1 ns" }"#,
        """
        "downlink": { "rate": "10000 Gbit/s" },
        "schedule": { "steps": [ { "at": "1 ns", "downlink": { "rate": "1 bit/s" } } ] }
        """,
        """
        "downlink": { "rate": "1 bit/s" },
        "schedule": { "steps": [ { "at": "0 s", "downlink": { "rate": "0 bit/s" } } ] }
        """,
        #""schedule": { "steps": [ { "at": "59 min", "uplink": { "delay": "60 min" } } ], "repeat": "60 min" }"#,
    ])
    func drawsExtremesOfTheFormat(members: String) throws {
        let outcome = try Self.show(members)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.lines.allSatisfy { $0.count <= 80 }, "\(outcome.output)")
    }
}
