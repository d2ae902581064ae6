// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import LinkProfiles
import Testing

@testable import Reports

/// The requests in a report.
struct RequestLogTests {
    private func request(_ number: Int, at begin: Double, status: Int? = 200, _ target: String = "/a")
        -> ObservedRequest
    {
        var request = ObservedRequest(method: "GET", target: target, packet: Example.packet(number, begin, begin + 0.1))
        request.host = "api.test"
        guard let status else { return request }
        (request.status, request.answer) = (status, Example.packet(number + 1, begin + 0.2, begin + 0.3))
        request.completed = Example.packet(number + 2, begin + 0.8, begin + 0.9)
        return request
    }

    private func report(_ connections: [Connection]) -> RunReport {
        var report = Example.report()
        report.timeline = Example.timeline(connections)
        return report
    }

    @Test func hasTheTimesOfEachRequest() throws {
        var connection = Example.connection()
        connection.requests = [request(10, at: 2)]
        let log = try #require(report([connection]).timeline).requests
        let line = try #require(log.requests.first)
        #expect(line.begin == .seconds(2) && line.firstByte == .milliseconds(2300) && line.end == .milliseconds(2900))
        #expect(line.status == 200 && line.packet == 10 && line.connection == 1 && line.repeats == nil)
        #expect(line.sentence == "GET /a at 2 s: 200 after 300 ms, complete after 900 ms")
    }

    @Test func tellsARequestThatIsSentAgainFromOneThatIsSentOften() throws {
        var (first, second) = (Example.connection(), Example.connection(port: 40001))
        first.requests = [request(10, at: 2, status: nil)]
        // The first of these takes the place of the one without an answer; the next is another.
        second.requests = [request(20, at: 3), request(30, at: 4), request(40, at: 5, "/b")]
        let report = report([first, second])
        let log = try #require(report.timeline).requests
        #expect(log.requests.map(\.repeats) == [nil, 10, nil, nil])
        #expect(log.requests.count == 4 && log.unansweredCount == 1 && log.repeatedCount == 1)
        let sentence = "4 HTTP requests, 1 without an answer, 1 sent again after no whole answer came"
        #expect(SummaryText(report).text.contains("\(sentence); 0 DNS queries."))
        let page = RunPage(report).text
        #expect(page.contains("<p>\(sentence)</p>") && page.contains("<span class=\"repeat\">↻ sent again</span>"))
        #expect(page.contains("<a href=\"#request-10\">10</a>"))
    }

    @Test func saysThatRequestsInsideTLSAreNotSeen() {
        var connection = Example.connection()
        #expect(!RunPage(report([connection])).text.contains("<h3>HTTP requests</h3>"))
        connection.tlsVersion = "TLS 1.3"
        let words = "1 connection with TLS or QUIC: requests inside TLS are not seen"
        #expect(RunPage(report([connection])).text.contains(words))
        #expect(SummaryText(report([connection])).text.contains(words))
    }

    @Test func listsNameQueries() throws {
        var traffic = ObservedTraffic()
        var query = NameQuery(name: "api.test", type: 28, packet: Example.packet(1, 1, 1.1))
        traffic.nameQueries = [query]
        (query.answer, query.code) = (Example.packet(2, 1.2, 1.5), 3)
        traffic.nameQueries.append(query)
        var report = Example.report()
        report.timeline = RunTimeline(traffic, Example.record, initial: nil, asked: [:])
        let queries = try #require(report.timeline).requests.queries
        #expect(queries.map(\.words) == ["no answer", "no such name"] && queries[1].answer == .milliseconds(1500))
        let page = RunPage(report).text
        #expect(page.contains("<b>AAAA</b><bdi class=\"what\">api.test</bdi><span class=\"state\">no such name</span>"))
    }

    /// A waterfall: outlined until the first byte, filled until the last.
    @Test func drawsEachRequestAtItsTimes() {
        var connection = Example.connection()
        connection.requests = [request(10, at: 2), request(20, at: 4, status: nil)]
        let page = RunPage(report([connection])).text
        #expect(page.contains("<rect class=\"waiting\" x=\"20%\" y=\"6\" width=\"3%\""))
        #expect(page.contains("<rect class=\"answered\" x=\"23%\" y=\"4\" width=\"6%\""))
        // Until the connection's end.
        #expect(page.contains("<rect class=\"waiting unanswered\" x=\"40%\" y=\"6\" width=\"30%\""))
        #expect(page.contains("✕ no answer"))
    }

    /// The client closes at 7 s, and its kernel refuses the answer at 9 s.
    @Test func takesNoAnswerForOneThatCameTooLate() throws {
        var connection = Example.connection()
        connection.requests = [request(10, at: 2), request(20, at: 8.7)]
        let closed = try #require(report([connection]).timeline).requests
        #expect(closed.unansweredCount == 0, "the server may answer a client that sends no more")
        var refusal = Connection.Ending(.reset, by: .client, Example.packet(23, 9.01, 9.2))
        refusal.isOfKernel = true
        connection.endings.append(refusal)
        let report = report([connection])
        let log = try #require(report.timeline).requests
        #expect(log.requests.map(\.status) == [200, nil] && log.unansweredCount == 1)
        #expect(RunPage(report).text.contains("✕ answered too late"))
        // The next one repeats it.
        var other = Example.connection(port: 40001)
        other.requests = [request(30, at: 9.5)]
        let both = try #require(self.report([connection, other]).timeline).requests
        #expect(both.requests.map(\.repeats) == [nil, nil, 20] && both.repeatedCount == 1)
    }

    @Test func interpretsNothingThatARequestSays() throws {
        var connection = Example.connection()
        let hostile = "/<script>alert(1)</script>\u{202E}\u{1B}[31m|`" + String(repeating: "x", count: 20_000)
        connection.requests = [request(10, at: 2, hostile)]
        connection.requests[0].host = hostile
        let report = report([connection])
        let page = RunPage(report).text
        #expect(page.contains("/&lt;script&gt;alert(1)") && !page.contains("<script>alert"))
        #expect(!page.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x1B })
        #expect(page.utf8.count < 100_000 && report.json.text.utf8.count < 20_000)
    }

    @Test func listsNoMoreThanCanBeRead() throws {
        var connection = Example.connection()
        let target = "/" + String(repeating: "x", count: 16_000)
        connection.requests = (0..<20_000).map { request($0, at: Double($0) / 3000, target) }
        var report = report([connection])
        report.timeline?.requests.queries = []
        let page = RunPage(report).text
        #expect(page.contains("the first 500 of 20000 are listed"))
        #expect(page.utf8.count < 2_000_000, "\(page.utf8.count)")
        let json = report.json
        #expect(json["timeline"]?.required("requestCount") == 20_000)
        #expect(json.text.utf8.count < 2_000_000, "\(json.text.utf8.count)")
    }
}
