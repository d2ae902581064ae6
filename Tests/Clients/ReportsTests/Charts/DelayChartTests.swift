// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ClientTraffic
@testable import Reports

/// The delays of a page.
struct DelayChartTests {
    /// A link with `count` packets to the client between two times: each 100 ms, but every 25th 5 s.
    private func page(_ count: Int, from begin: Double = 1, to end: Double = 3) -> String {
        var capture = TestHistory()
        for number in 0..<count {
            let time = begin + (end - begin) * Double(number) / Double(max(count, 2) - 1)
            capture.add(sent: time, delay: number % 25 == 24 ? 5 : 0.1)
        }
        var traffic = ObservedTraffic()
        traffic.link.history = capture.history
        var report = Example.report()
        let delay = AskedFigure(Duration.milliseconds(100))
        report.timeline = RunTimeline(
            traffic,
            Example.record,
            initial: "Slow Net",
            asked: ["Slow Net": AskedFigures(downlink: .init(delay: delay))]
        )
        return RunPage(report).text
    }

    private func row(_ name: String, _ page: String) throws -> String {
        let begin = try #require(page.firstRange(of: "<h3>\(name)</h3>")).upperBound
        let end = page[begin...].firstRange(of: "</svg></div>")?.lowerBound ?? page.endIndex
        return String(page[begin..<end])
    }

    @Test func tellsTheMedianTheTailAndWhatWasAskedFor() throws {
        let page = page(1000)
        let row = try row("Delay to the client", page)
        #expect(row.contains("median 100 ms, 95 % within 100 ms, 100 ms to 5 s, asked for 100 ms, logarithmic scale"))
        #expect(row.contains("class=\"median downlink\"") && row.contains("class=\"high downlink\""))
        #expect(row.contains("class=\"asked\""))
        #expect(!page.contains("<h3>Delay to the server</h3>"), "nothing was sent there")
    }

    /// A line through a time without packets would be made up.
    @Test func hasAGapWhereNothingWasSent() throws {
        let row = try row("Delay to the client", page(24))
        let line = try #require(row.firstMatch(of: /class="median downlink" d="([^"]*)"/)).1
        #expect(line.filter { $0 == "M" }.count > 1, "\(line)")
        #expect(!line.contains("L"), "no slope from one moment to another")
    }

    /// Of three packets as of a million, each as wide as can be seen.
    @Test(arguments: [1, 3, 1_000_000])
    func isAsReadableOfFewPacketsAsOfMany(count: Int) throws {
        let row = try row("Delay to the client", page(count, from: 0, to: 9))
        #expect(row.utf8.count < 60_000, "\(row.utf8.count)")
        let widths = row.matches(of: /class="hit" x="[^"]*" y="0" width="([0-9.]+)%"/).compactMap { Double($0.1) }
        #expect(widths.count >= min(count, 40) && widths.count <= 120, "\(widths.count)")
        #expect(widths.dropLast().allSatisfy { $0 > 0.5 }, "\(widths)")
    }
}

/// What a link carried to the client, packet by packet.
private struct TestHistory {
    private(set) var history = LinkHistory()

    mutating func add(sent: Double, delay: Double) {
        history.change(at: Example.instant(sent + delay)) { piece in
            piece.downlink.packets += 1
            piece.downlink.bytes += 1000
            piece.downlink.delays.add(.nanoseconds(Int64(delay * 1e9)))
        }
    }
}
