// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import LinkProfiles
import TestKit
import Testing

@testable import Reports

/// A run with more connections than anybody reads: what is left out is said, and nothing grows without bounds.
struct CrowdedRunTests {
    private static let count = 100_000
    private static let expectations = [
        "at most 200000 connections", "at most 10 connections during 'dark'", "times out within 3 s of 'dark'",
        "closes within 1 s of 'dark'", "recovers within 1 s of 'dark'", "first byte within 1 ms",
        "leaves no connection open", "attempts back off",
    ]

    private struct Written {
        let report: RunReport
        let page: String
        let files: [String]

        init(_ run: CrowdedRun) throws {
            report = try run.report(CrowdedRunTests.expectations)
            page = RunPage(report).text
            files = [report.json.text, JUnitFile(report, strict: true).text, SummaryText(report).text]
        }
    }

    @Test func reportsAHundredThousandConnections() throws {
        var last: Written?
        // What is quadratic in the connections takes hours.
        let growth = try ProcessorTime.growth(from: Self.count / 4, { CrowdedRun($0) }) { last = try Written($0) }
        #expect(growth < ProcessorTime.proportion)
        let (report, page, files) = try (#require(last).report, #require(last).page, #require(last).files)
        let timeline = try #require(report.timeline)
        #expect(page.utf8.count <= 5_000_000, "\(page.utf8.count)")
        for file in files { #expect(file.utf8.count <= 5_000_000, "\(file.utf8.count)") }
        #expect(page.contains("300 of 100000 connections are shown"))
        #expect(files[2].contains("more connections"))
        #expect(timeline.connectionCount == Self.count)
        #expect(report.results[0].finding.hasPrefix("100000 connections, by client (0) and 99999 more"))
        #expect(report.results[6].finding.hasSuffix("and 999 more"))
        #expect(report.results.allSatisfy { $0.packets.count <= 1000 })
    }

    /// What the sockets tell belongs to the connection that had the port then.
    @Test
    func tellsHowEachConnectionEnded() throws {
        let timeline = try #require(try CrowdedRun(200).report([]).timeline)
        let endings = timeline.connections.prefix(100).map(\.ending.kind)
        #expect(endings[0] == .finished && endings[7] == .finished && endings[8] == .givenUp && endings[9] == .open)
        #expect(endings[19] == .silent)
        #expect(timeline.connections[7].end == .milliseconds(3535))
        #expect(timeline.connections[7].ending.side == .client)
    }

    @Test
    func boundsWhatIsDrawnOfOneConnection() throws {
        var connection = Example.connection()
        connection.attempts = (0..<5000).map { Example.packet($0 + 1, 1 + Double($0) / 1000) }
        var report = Example.report()
        report.timeline = Example.timeline([connection])
        let page = RunPage(report).text
        #expect(page.contains("5000 attempts"))
        #expect(page.contains("Of a connection, the first 200 strokes of a kind are drawn."))
        report.timeline = Example.timeline(Array(repeating: connection, count: 1000))
        let crowded = RunPage(report).text
        #expect(crowded.contains("Of a connection, the first 50 strokes of a kind are drawn."))
        #expect(crowded.utf8.count <= 5_000_000)
    }

    @Test
    func boundsWhatIsShownOfALongRun() throws {
        var report = Example.report()
        let name = String(repeating: "n", count: 1000)
        for number in 0..<20_000 {
            let (begin, end) = (Duration.milliseconds(number), Duration.milliseconds(number + 1))
            report.timeline?.marks.append(RunTimeline.Mark(name: name, time: begin))
            report.timeline?.stalls.append(RunTimeline.Stall(begin: begin, end: end, waited: end - begin))
            let period = RunTimeline.Period(
                label: name,
                profile: name,
                asked: AskedFigures(uplink: .init(rate: AskedFigure(BitRate(bitsPerSecond: 1000)))),
                begin: begin,
                end: end
            )
            report.timeline?.periods.append(period)
            let verdict = RunRecord.MonitorVerdict(
                Example.instant(0),
                "tcp://\(number % 30).test:80",
                peer: nil,
                status: "unreachable",
                isReachable: false,
                reason: name,
                interval: .seconds(1)
            )
            report.timeline?.bands.append(RunTimeline.Band(verdict: verdict, begin: begin, end: end))
        }
        let page = RunPage(report).text
        #expect(page.utf8.count <= 5_000_000, "\(page.utf8.count)")
        for words in ["500 of 20002", "500 of 20001", "25 of 667"] {
            #expect(page.contains("the first \(words) are drawn"), "\(words)")
        }
        let json = try #require(report.json["timeline"])
        let counts = [("condition", 20_002), ("mark", 20_001), ("monitor", 20_000), ("busy", 1)]
        for (name, count) in counts { #expect(json.required("\(name)Count") == count, "\(name)") }
        for (name, count) in [("conditions", 500), ("marks", 500), ("monitor", 500), ("busy", 1)] {
            guard case .array(let list)? = json[name]?.value, list.count == count else {
                Issue.record("\(name): \(count)")
                continue
            }
        }
        #expect(report.json.text.utf8.count <= 5_000_000)
    }
}
