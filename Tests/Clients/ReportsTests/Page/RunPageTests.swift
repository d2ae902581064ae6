// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import Reports

struct RunPageTests {
    private static let hostile =
        "<script>alert(1)</script>\"'&\u{202E}\u{1B}[31m" + String(repeating: "x", count: 10_000)

    @Test
    func putsFailuresFirst() throws {
        let results = [
            Example.result("completes within 30 s", .pass, "it took 10 s"),
            Example.result("at most 1 connection", .fail, "3 connections"),
        ]
        let page = RunPage(Example.report(results: results)).text
        let failure = try #require(page.firstRange(of: "3 connections"))
        let success = try #require(page.firstRange(of: "it took 10 s"))
        #expect(failure.lowerBound < success.lowerBound)
        #expect(page.contains("What usually helps: a cap."))
        // A line does not break between the dashes.
        let seed = "<span class=\"option\">--seed</span> 7 <span class=\"option\">--</span> curl"
        #expect(page.contains("linkcond run &#39;Slow Net&#39; \(seed)"))
    }

    @Test
    func drawsAConnectionAtItsTimes() {
        // 1 s to 1.5 s of 10 s is asked for; from 2 s to 7 s, when the client sent FIN, there are answers.
        let page = RunPage(Example.report()).text
        #expect(page.contains("<rect class=\"connecting\" x=\"10%\" y=\"8\" width=\"5%\""))
        #expect(page.contains("<rect class=\"answered\" x=\"20%\" y=\"4\" width=\"50%\""))
        #expect(page.contains("closed by the client at 7 s"))
    }

    @Test
    func sumsUpTheRunInASentence() {
        var report = Example.report()
        (report.totals.connections, report.totals.accepted, report.totals.requests) = (4, 3, 14)
        (report.totals.packets, report.totals.dropped) = (240, 16)
        let words = "4 connections, 1 never accepted, 14 requests, 16 of 240 packets lost; 6 s of 'in the lift'."
        #expect(report.overview + "." == words)
        #expect(RunPage(report).text.contains("class=\"lead\">\(words.replacing("'", with: "&#39;"))<"))
    }

    @Test
    func namesTheFiguresOfEachProfile() {
        var report = Example.report()
        var profile = Profile(name: "Slow Net")
        profile.uplink = Impairments()
        profile.uplink?.rate = BitRate(bitsPerSecond: 100_000)
        profile.uplink?.delay = .milliseconds(400)
        profile.downlink = profile.uplink
        report.timeline = RunTimeline(
            ObservedTraffic(),
            Example.record,
            initial: "Slow Net",
            asked: ["Slow Net": AskedFigures(profile)]
        )
        #expect(RunPage(report).text.contains("<dt>Slow Net</dt><dd><bdi>each way 400 ms delay, 100 kbit/s</bdi></dd>"))
    }

    /// A reader goes from a failure to the connection that shows it, on the clock and in the list.
    @Test
    func linksAFindingWithItsConnection() {
        let failure = Example.result("at most 0 connections", .fail, "1 connection")
        let pass = Example.result("completes within 30 s", .pass, "it took 10 s")
        let page = RunPage(Example.report(results: [pass, failure])).text
        #expect(page.contains("<li class=\"finding fail\" id=\"finding-1\">"))
        #expect(page.contains("Packets <a href=\"#connection-1\">3</a>, <a href=\"#connection-1\">5</a> of packets"))
        #expect(page.contains("<details class=\"row connection\" id=\"connection-1\">"))
        #expect(page.contains("class=\"flag\" transform=\"translate(0 0)\"><circle cx=\"15%\""))
        #expect(page.contains("<details class=\"passed\"><summary>"), "passes are folded beside a failure")
        let passed = RunPage(Example.report(results: [pass])).text
        #expect(passed.contains("<details class=\"passed\" open=\"\">"))
    }

    /// A run may fail without a failed expectation.
    @Test
    func countsTheFailureOfTheCommandAsAFinding() {
        let pass = Example.result("completes within 30 s", .pass, "it took 10 s")
        let words = "<span class=\"verdict failed\">failed</span><bdi>The command exited with 3</bdi>"
        #expect(RunPage(Example.report(results: [pass], outcome: .exited(3))).text.contains(words))
        #expect(!RunPage(Example.report(results: [pass])).text.contains(">failed</span>"))
    }

    @Test
    func namesTheProfileOfAStep() {
        let page = RunPage(Example.report()).text
        #expect(page.contains("in the lift: Black Hole</text>"))
    }

    /// The client is silent from 7 s on; its connection stays open until the command ends at 10 s.
    @Test
    func drawsOpenConnectionsUpToTheEnd() throws {
        var traffic = ObservedTraffic()
        var connection = Example.connection()
        connection.endings = []
        traffic.connections = [connection]
        traffic.link.history.change(at: Example.instant(0)) { $0.uplink.packets += 1 }
        traffic.link.history.change(at: Example.instant(7)) { $0.uplink.packets += 1 }
        var record = Example.record
        record.openAtEnd = [RunRecord.OpenSocket(SocketEnds(connection.client, connection.server))]
        let timeline = RunTimeline(traffic, record, initial: nil, asked: [:])
        let last = try #require(timeline.laterOpenings.last)
        #expect(timeline.laterOpenings.count == 1 && last.open == 1 && last.end == .seconds(10))
        #expect(last.begin >= .seconds(7) && last.begin < .milliseconds(7100))
    }

    @Test
    func showsHostileNamesAndInterpretsNothing() {
        var report = Example.report(profile: Self.hostile)
        report.context.command = [Self.hostile]
        report.results = [Example.result(Self.hostile, .fail, Self.hostile)]
        report.timeline = Example.timeline([Example.connection(name: Self.hostile)])
        report.timeline?.marks = [RunTimeline.Mark(name: Self.hostile, time: .seconds(1))]
        let page = RunPage(report).text
        #expect(page.contains("&lt;script&gt;alert(1)"))
        #expect(!page.contains("<script>alert"))
        #expect(!page.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x1B })
        #expect(page.utf8.count < 200_000)
    }

    @Test
    func asksForNothingFromAnywhere() {
        let page = RunPage(Example.report()).text
        #expect(!page.contains("src=") && !page.contains("url(") && !page.contains("@import"))
        #expect(page.contains("default-src 'none'") || page.contains("default-src &#39;none&#39;"))
    }

    /// A wait of a millisecond is everyday life: it must not look as a busy machine does. Waiting that changed no
    /// verdict is not drawn at all.
    @Test
    func drawsHowMuchOfTheTimeProcessesWaited() {
        var report = Example.report()
        report.isBusy = true
        report.timeline?.stalls = [
            RunTimeline.Stall(begin: .seconds(1), end: .milliseconds(1050), waited: .milliseconds(1)),
            RunTimeline.Stall(begin: .seconds(3), end: .milliseconds(3050), waited: .milliseconds(40)),
        ]
        let page = RunPage(report).text
        #expect(page.contains("41 ms in all, at most 80 % of a moment"))
        #expect(page.contains("2 % from 1 s to 1.05 s") && page.contains("80 % from 3 s to 3.05 s"))
        report.isBusy = false
        #expect(!RunPage(report).text.contains("Waiting for a processor"))
    }

    @Test
    func saysNothingOfAnAcceptanceThatCameTooLate() {
        var connection = Example.connection()
        connection.accepted = Example.packet(2, 8, 9)
        (connection.answers, connection.clientPackets) = ([], connection.attempts)
        connection.endings = []
        var traffic = ObservedTraffic()
        traffic.connections = [connection, Example.connection(port: 40001)]
        var record = Example.record
        record.socketChanges = [
            RunRecord.SocketChange(
                .asked,
                of: SocketEnds(connection.client, connection.server),
                last: Example.instant(3),
                gone: Example.instant(3.1)
            )
        ]
        var report = Example.report()
        report.timeline = RunTimeline(traffic, record, initial: nil, asked: [:])
        report.timeline?.connections.removeLast()
        let page = RunPage(report).text
        #expect(page.contains("never accepted") && page.contains("given up at 3.1 s"))
        #expect(!page.contains("accepted after") && !page.contains("handshake:") && !page.contains("handshakes ("))
        #expect(report.timeline?.connections.first?.accepted == nil)
        let totals = RunReport.Totals(traffic, record)
        #expect(totals.connections == 2 && totals.accepted == 1)
    }

    /// Two connections, of which the first has round trips for a second and the other has one, much later.
    @Test
    func drawsRoundTripsOfTheWholeRun() throws {
        var traffic = ObservedTraffic()
        traffic.connections = [Example.connection(), Example.connection(port: 40001)]
        for (connection, end, length) in [(0, 2, 80), (0, 2, 90), (0, 2.06, 100), (0, 2.11, 300), (1, 9, 400)] {
            traffic.connections[connection].roundTrips.add(.milliseconds(length))
            traffic.link.history.change(at: Example.instant(end)) { $0.roundTrips.add(.milliseconds(length)) }
        }
        var report = Example.report()
        report.timeline = RunTimeline(traffic, Example.record, initial: nil, asked: [:])
        let page = RunPage(report).text
        let label =
            "aria-label=\"Round trips: median 100 ms, 95 % within 400 ms, 80 ms to 400 ms, handshakes (○) 500 ms\""
        #expect(page.contains(label))
        #expect(page.contains("round trips 80 ms to 300 ms, median 90 ms, ") && page.contains("round trips 400 ms, "))
        let line = try #require(page.firstMatch(of: /class="median trips" d="([^"]+)"/)?.output.1)
        #expect(line.count { $0 == "M" } == 2 && line.count { $0 == "L" } == 0, "\(line)")
        #expect(page.contains("class=\"band trips\" d=\"M"))

        let timeline = try #require(report.json["timeline"])
        #expect(timeline["roundTrips"]?.line == #"{ "count": 5, "least": 0.08, "median": 0.1, "most": 0.4 }"#)
        guard case .array(let maximum)? = timeline["roundTripsByTime"]?["most"]?.value else {
            Issue.record("no list")
            return
        }
        #expect(maximum.count == traffic.link.history.pieces.count)
        #expect(maximum.filter { $0.text != "null" }.map(\.text) == ["0.09", "0.1", "0.3", "0.4"])
    }

    @Test
    func staysSmallForManyConnections() {
        var report = Example.report()
        report.timeline = Example.timeline((0..<10_000).map { Example.connection(port: UInt16($0 % 60_000 + 1000)) })
        let page = RunPage(report).text
        #expect(page.utf8.count < 5_000_000)
        #expect(page.contains("300 of 10000 connections are shown"))
    }
}
