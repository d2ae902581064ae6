// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import Testing

struct ExpectationParserTests {
    private typealias Row = (String, ClientExpectation)

    private static let rows: [Row] = [
        ("completes within 30 s", .completes(within: .seconds(30))),
        ("completes within 30s", .completes(within: .seconds(30))),
        ("exits with 0", .exits(with: 0)),
        ("first byte within 2 s", .firstByte(within: .seconds(2))),
        (
            "first byte to api.test:443 within 500 ms of 'out again'",
            .firstByte(within: .milliseconds(500), of: "out again", to: Peer("api.test", port: 443))
        ),
        ("times out within 10 s of 'in the lift'", .timesOut(within: .seconds(10), of: "in the lift")),
        ("closes within 1.5 s of \"user's choice\"", .closes(within: .milliseconds(1500), of: "user's choice")),
        (
            "recovers to [2001:db8::1]:80 within 5 s of 'L'",
            .recovers(within: .seconds(5), of: "L", to: Peer("2001:db8::1", port: 80))
        ),
        (
            "at most 6 connection attempts during 'in the lift'",
            .atMost(6, .connectionAttempts, during: "in the lift")
        ),
        ("at most 1 connection", .atMost(1, .connections)),
        ("at most 1 connection during 'second search'", .atMost(1, .connections, during: "second search")),
        ("at most 3 requests to 127.0.0.1:8080", .atMost(3, .requests, to: Peer("127.0.0.1", port: 8080))),
        ("at most 4 DNS queries", .atMost(4, .dnsQueries)),
        ("at most 9 retransmissions", .atMost(9, .retransmissions)),
        ("at most 5000 bytes", .atMost(5000, .bytes)), ("at most 1 byte", .atMost(1, .bytes)),
        ("at most 500 kB during 'L'", .atMost(500_000, .bytes, during: "L")),
        ("at most 1.5MB to a.test:80", .atMost(1_500_000, .bytes, to: Peer("a.test", port: 80))),
        ("at most 9223372036854775807 bytes", .atMost(.max, .bytes)),
        ("at most 1234567 bytes", .atMost(1_234_567, .bytes)),
        ("at most 2 connections at a time", .atMost(2, .connectionsAtATime)),
        ("at most 1 connection at a time", .atMost(1, .connectionsAtATime)),
        (
            "at most 2 connections to a.test at a time during 'L'",
            .atMost(2, .connectionsAtATime, to: Peer("a.test"), during: "L")
        ),
        (
            "at most 2 connections at a time to a.test. during 'L'",
            .atMost(2, .connectionsAtATime, to: Peer("a.test"), during: "L")
        ),
        ("attempts back off", .attemptsBackOff()),
        ("attempts to a.test back off during 'x'", .attemptsBackOff(to: Peer("a.test"), during: "x")),
        ("leaves no connection open", .leavesNoConnectionOpen), ("sends no request twice", .sendsNoRequestTwice),
        ("monitor agrees", .monitorAgrees),
        ("sends keep-alives at least every 20 s", .sendsKeepAlives(every: .seconds(20))),
        ("sends keep-alives to a.test at least every 1 s", .sendsKeepAlives(every: .seconds(1), to: Peer("a.test"))),
        ("falls back to TCP within 2 s", .fallsBackToTCP(within: .seconds(2))),
        (
            "falls back to TCP to a.test:443 within 2 s during 'x'",
            .fallsBackToTCP(within: .seconds(2), to: Peer("a.test", port: 443), during: "x")
        ),
        ("migrates within 2 s of 'L'", .migrates(within: .seconds(2), of: "L")),
        ("migrates to a.test within 2 s of 'L'", .migrates(within: .seconds(2), of: "L", to: Peer("a.test"))),
        ("resumes", .resumes()), ("resumes to a.test:80", .resumes(to: Peer("a.test", port: 80))),
        ("asks DNS again within 10 s of 'L'", .asksDNSAgain(within: .seconds(10), of: "L")),
        ("asks DNS again to a.test within 1 s of 'L'", .asksDNSAgain(within: .seconds(1), of: "L", to: Peer("a.test"))),
        ("uses IPv4 within 500 ms", .usesIPv4(within: .milliseconds(500))),
        (
            "uses IPv4 to a.test:443 within 1 s during 'x'",
            .usesIPv4(within: .seconds(1), to: Peer("a.test", port: 443), during: "x")
        ),
    ]

    @Test func suggestsAKnownUnit() {
        let text = "completes within 5 secs"
        let error = #expect(throws: UnreadableExpectation.self) { try ClientExpectation(parsing: text) }
        #expect(error?.suggestion == "5 s")
    }

    @Test(arguments: ["at most 3 connection", "at most 3 connection to a.test", "at most 2 connection at a time"])
    func suggestsThePluralOfConnections(text: String) {
        let error = #expect(throws: UnreadableExpectation.self) { try ClientExpectation(parsing: text) }
        #expect(error?.summary == "found \"connection\"; did you mean \"connections\"?")
    }

    @Test(arguments: rows)
    func readsAndWritesTheSame(_ text: String, _ expectation: ClientExpectation) throws {
        let read = try ClientExpectation(parsing: text)
        #expect(read == expectation)
        #expect(try ClientExpectation(parsing: read.description) == expectation, "\(read)")
    }

    /// Both numbers are read after 1.
    @Test(arguments: [
        ("connections", "connection"), ("connections at a time", "connection at a time"),
        ("connection attempts", "connection attempt"), ("requests", "request"), ("DNS queries", "DNS query"),
        ("retransmissions", "retransmission"), ("bytes", "byte"),
    ])
    func writesOneInTheSingular(_ plural: String, _ singular: String) throws {
        for noun in [plural, singular] {
            let text = try "\(ClientExpectation(parsing: "at most 1 \(noun) during 'x'"))"
            #expect(text == "at most 1 \(singular) during 'x'")
        }
        #expect(try "\(ClientExpectation(parsing: "at most 2 \(plural)"))" == "at most 2 \(plural)")
    }

    /// The text, the characters that are pointed at, and what is said.
    @Test(
        arguments: [
            ("", "", "it is empty; expected an expectation such as \"completes within 30 s\""),
            ("complets within 30 s", "complets", "found \"complets\"; did you mean \"completes\"?"),
            ("at most 5 conections", "conections", "found \"conections\"; did you mean \"connections\"?"),
            ("at most five requests", "five", "found \"five\"; expected a whole number"),
            ("at most -1 requests", "-1", "found \"-1\"; expected a whole number"),
            (
                "completes within 30", "30",
                "30 has no unit; expected a time such as \"10 s\" or \"500 ms\"; did you mean \"30 s\"?"
            ),
            (
                "completes within 30 parsecs", "30 parsecs",
                "\"30 parsecs\" is not a time; expected a time such as \"10 s\" or \"500 ms\""
            ),
            ("completes within 0 s", "0 s", "\"0 s\" is not a time; expected a time such as \"10 s\" or \"500 ms\""),
            (
                "times out within 10 s", "",
                "the label is missing; expected \"of\" and a step or a mark, such as of 'in the lift'"
            ),
            ("closes within 1 s of left", "left", "the label is not quoted; did you mean \"of 'left'\"?"),
            ("closes within 1 s of 'left", "'", "the quote is not closed"),
            ("closes within 1 s of ''", "''", "the label is empty"),
            (
                "at most 500 KB", "500 KB",
                "\"500 KB\" is not a number of bytes; expected such as \"500 kB\"; did you mean \"500 kB\"?"
            ),
            ("at most 2 connections at time", "time", "found \"time\"; expected \"a\""),
            ("uses IPv6 within 1 s", "IPv6", "found \"IPv6\"; did you mean \"IPv4\"?"),
            ("uses IPv4", "", "it ends here; expected \"within\""),
            (
                "asks DNS again within 1 s", "",
                "the label is missing; expected \"of\" and a step or a mark, such as of 'in the lift'"
            ),
            ("asks DNS twice", "twice", "found \"twice\"; expected \"again\""),
            ("sends keepalives", "keepalives", "found \"keepalives\"; did you mean \"keep-alives\"?"),
            ("sends keep-alives every 20 s", "every", "found \"every\"; expected \"at\""),
            (
                "sends keep-alives at least every", "", "the time is missing; expected such as \"10 s\""
            ),
            ("falls back to UDP within 1 s", "UDP", "found \"UDP\"; expected \"TCP\""),
            ("resume", "resume", "found \"resume\"; did you mean \"resumes\"?"),
            ("exits with 256", "256", "found \"256\"; expected an exit status from 0 to 255"),
            ("exits with 0 please", "please", "\"please\" does not belong here; expected the end"),
            (
                "at most 5 requests to :80", ":80",
                "\":80\" is not a peer; expected HOST:PORT or [ADDRESS]:PORT"
            ),
            (
                "at most 5 requests to a:99999", "a:99999",
                "\"a:99999\" is not a peer; expected HOST:PORT or [ADDRESS]:PORT"
            ),
        ] as [(String, String, String)]
    )
    func pointsAtTheMistake(_ text: String, _ place: String, _ summary: String) {
        let error = #expect(throws: UnreadableExpectation.self) { try ClientExpectation(parsing: text) }
        #expect(error?.summary == summary)
        guard let range = error?.range else { return }
        #expect(String(Array(text)[range]) == place)
    }

    @Test func drawsTheMistake() throws {
        let error = #expect(throws: UnreadableExpectation.self) {
            try ClientExpectation(parsing: "at most 5 conections")
        }
        #expect(
            error?.description == """
                at most 5 conections
                          ^^^^^^^^^^ found "conections"; did you mean "connections"?
                """
        )
    }

    /// Whatever is read or refused, nothing crashes.
    @Test func standsAnyText() {
        let words = [
            "at", "most", "5", "to", "'", "\"", "of", "within", "🦊", "[", ":", "connections", "\u{0}", "s", "'a'",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in words.randomElement() ?? "" }
                .joined(separator: Bool.random() ? " " : "")
            if let expectation = try? ClientExpectation(parsing: text) {
                #expect((try? ClientExpectation(parsing: expectation.description)) == expectation, "\(text)")
            }
        }
    }
}
