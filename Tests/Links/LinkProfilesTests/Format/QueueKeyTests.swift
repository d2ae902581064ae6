// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct QueueKeyTests {
    /// A queue as a profile spells it, and what it means.
    private struct Example: Sendable, CustomTestStringConvertible {
        let text: String
        let size: QueueSize?
        let management: QueueManagement?

        init(
            _ text: String,
            _ size: QueueSize?,
            _ discipline: QueueManagement.Discipline? = nil,
            _ set: (inout QueueManagement) -> Void = { _ in }
        ) {
            (self.text, self.size) = (text, size)
            management = discipline.map { discipline in
                var management = QueueManagement(discipline)
                set(&management)
                return management
            }
        }

        var testDescription: String { text }
    }

    private static let examples: [Example] = [
        Example(#""300 ms""#, .time(.milliseconds(300))),
        Example(#"{ "size": "64 kB" }"#, .bytes(64_000)),
        Example(#""codel""#, nil, .codel),
        Example(#""drop-head""#, nil, .dropHead),
        Example(#"{ "discipline": "cake" }"#, nil, .cake),
        Example(#"{ "size": "50 packets", "discipline": "drop-tail" }"#, .packets(50), .dropTail),
        Example(
            #"{"size":"1 s","discipline":"fq_codel","target":"6 ms","interval":"90 ms","quantum":300,"flows":16}"#,
            .time(.seconds(1)),
            .fqCodel
        ) {
            $0.target = .milliseconds(6)
            $0.interval = .milliseconds(90)
            $0.quantum = 300
            $0.flows = 16
        },
        Example(#"{ "discipline": "pie", "target": "20 ms", "update": "10 ms", "burst": "0 ms" }"#, nil, .pie) {
            $0.target = .milliseconds(20)
            $0.update = .milliseconds(10)
            $0.burst = .zero
        },
        Example(#"{ "discipline": "dualpi2", "step": "2 ms", "coupling": 1.5 }"#, nil, .dualPI2) {
            $0.step = .milliseconds(2)
            $0.coupling = 1.5
        },
    ]

    private static func direction(_ queue: String) -> String {
        "\"downlink\": { \"rate\": \"1 Mbit/s\", \"queue\": \(queue) }"
    }

    private func issues(_ queue: String) -> [String] {
        Profile.issues(members: Self.direction(queue)).map { String($0.dropFirst("$.downlink.".count)) }
    }

    @Test(arguments: examples)
    private func meansWhatItSays(example: Example) throws {
        let profile = try Profile(members: Self.direction(example.text))
        #expect(profile.downlink?.queue == example.size)
        #expect(profile.downlink?.queueManagement == example.management)
        #expect(try profile.rereadFromText() == profile)
    }

    @Test(arguments: [("fq-codel", "fq_codel"), ("FQ_CoDel", "fq_codel"), ("L4S", "dualpi2"), ("pfifo", "drop-tail")])
    func suggestsTheDisciplineThatIsMeant(word: String, meant: String) {
        let expected = """
            a time, a size or a number of packets, such as "300 ms", "64 kB" or "50 packets", or one of drop-tail, \
            drop-head, codel, fq_codel, pie, cake, dualpi2; did you mean "\(meant)"?
            """
        #expect(issues("\"\(word)\"") == ["queue: found \"\(word)\"; expected \(expected)"])
        let names = "drop-tail, drop-head, codel, fq_codel, pie, cake, dualpi2; did you mean \"\(meant)\"?"
        #expect(
            issues("{ \"discipline\": \"\(word)\" }")
                == ["queue.discipline: found \"\(word)\"; expected one of \(names)"]
        )
    }

    @Test(arguments: [
        ("{}", "queue: the key \"discipline\" is missing"),
        (#"{ "target": "5 ms" }"#, "queue: the key \"discipline\" is missing"),
        (#"{ "dicipline": "codel" }"#, "queue.dicipline: unknown key; did you mean \"discipline\"?"),
        ("[]", "queue: found an array"), ("null", "queue: found null"), ("300", "queue: 300 has no unit"),
        (#"{ "size": "codel", "discipline": "codel" }"#, "queue.size: \"codel\" does not start with a number"),
        (
            #"{ "discipline": "codel", "flows": 16 }"#,
            "queue.flows: codel has no flows; expected one of target, interval"
        ),
        (
            #"{ "discipline": "drop-head", "target": "1 ms" }"#,
            "queue.target: drop-head has no target; expected no parameters for drop-head"
        ),
        (#"{ "discipline": "codel", "target": "0 ms" }"#, "queue.target: target is zero"),
        (
            #"{ "discipline": "codel", "target": "200 ms" }"#,
            "queue.target: a target of 200 ms is never missed for an interval; expected at most the interval of 100 ms"
        ),
        (#"{ "discipline": "dualpi2", "coupling": 1e999 }"#, "queue.coupling: found 1e999; expected a number from 0.1"),
        (#"{ "discipline": "dualpi2", "coupling": "NaN" }"#, "queue.coupling: found \"NaN\""),
        (
            #"{ "discipline": "fq_codel", "flows": 99999999999999999999 }"#,
            "queue.flows: found 99999999999999999999; expected a whole number from 8 to 65536"
        ),
    ])
    func refusesWhatIsNoQueue(queue: String, issue: String) {
        let issues = issues(queue)
        #expect(issues.count == 1)
        #expect(issues.first?.hasPrefix(issue) == true, "\(issues)")
    }

    @Test func marksWhereTheDisciplineMarks() {
        for discipline in QueueManagement.Discipline.allCases {
            let queue = "\"queue\": \"\(discipline.rawValue)\""
            let members = "\"downlink\": { \"rate\": \"1 Mbit/s\", \(queue), \"ecn\": true }"
            let marks = discipline != .dropTail && discipline != .dropHead
            #expect(Profile.issues(members: members).isEmpty == marks, "\(discipline)")
        }
    }

    @Test func needsARate() {
        #expect(
            Profile.issues(members: #""downlink": { "queue": "codel", "ecn": true }"#)
                == ["$.downlink.queue: a queue without a rate never fills; expected \"rate\" beside it"]
        )
    }

    @Test(arguments: [#""100 ms""#, #"{ "size": "100 ms" }"#])
    func keepsItsDisciplineWhereAStepChangesTheSize(size: String) throws {
        let figures = "{ \"queue\": \(size), \"ecn\": true }"
        let step = "\"schedule\": { \"steps\": [{ \"at\": \"1 s\", \"downlink\": \(figures) }] }"
        let profile = try Profile(members: "\(Self.direction(#""codel""#)), \(step)")
        let changed = try #require(profile.schedule?.steps[0].downlink).overriding(try #require(profile.downlink))
        #expect(changed.queue == .time(.milliseconds(100)))
        #expect(changed.queueManagement == QueueManagement(.codel))
        #expect(try profile.rereadFromText() == profile)
    }

    @Test(arguments: [#""pie""#, #"{ "discipline": "codel", "target": "9 ms" }"#])
    func keepsItsDisciplineInEveryStep(queue: String) {
        let step = "\"schedule\": { \"steps\": [{ \"at\": \"1 s\", \"downlink\": { \"queue\": \(queue) } }] }"
        let expected = """
            $.schedule.steps[0].downlink.queue: a step cannot change the queue's discipline; \
            expected the size alone, such as "300 ms"; the discipline belongs to the profile
            """
        #expect(Profile.issues(members: "\(Self.direction(#""codel""#)), \(step)") == [expected])
    }

    @Test func tellsPeopleOfItsDiscipline() throws {
        let members = #""downlink": { "rate": "1 Mbit/s", "queue": "fq_codel", "ecn": true }"#
        let words = try #require(try Profile(members: members).downlink).words
        #expect(words == ["1 Mbit/s", "fq_codel queue, which marks where the packet allows it"])
    }

    @Test(arguments: [
        (#""300 ms""#, "codel", #"{ "size": "300 ms", "discipline": "codel" }"#),
        (#""codel""#, "300 ms", #"{ "size": "300 ms", "discipline": "codel" }"#), (#""codel""#, "pie", #""pie""#),
        (#""64 kB""#, "300 ms", #""300 ms""#),
        (
            #"{ "size": "1 s", "discipline": "codel", "target": "6 ms" }"#, "300 ms",
            #"{ "size": "300 ms", "discipline": "codel", "target": "6 ms" }"#
        ),
        (
            #"{ "size": "1 s", "discipline": "codel", "target": "6 ms" }"#, "codel",
            #"{ "size": "1 s", "discipline": "codel", "target": "6 ms" }"#
        ),
        (
            #"{ "size": "1 s", "discipline": "codel", "target": "6 ms" }"#, "drop-tail",
            #"{ "size": "1 s", "discipline": "drop-tail" }"#
        ),
    ])
    func aFigureOfTheCommandLineLeavesTheRestOfIt(base: String, figure: String, result: String) throws {
        let base = try JSON(utf8: "{ \"queue\": \(base) }".utf8)
        let queue = FigureList.overriding(base, by: try FigureList.json("queue=\(figure)"))["queue"]
        #expect(queue?.line == result)
    }
}
